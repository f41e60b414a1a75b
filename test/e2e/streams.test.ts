import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CLOSE } from '@yagura/streams';
import { kubeconfig, kubectl, local, tryKubectl, yagura } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import {
  apply,
  askAgent,
  bootId,
  condition,
  eventsOf,
  freshNamespace,
  getVmi,
  launcherPod,
  type PodObject,
  tinyVmi,
  untilAgent,
} from './support/machines.ts';
import { framebuffer } from './support/rfb.ts';
import { endOf, GuestConsole, kubeClient, openStream, vmiPath } from './support/streams.ts';

const ns = 'e2e-streams';
const name = 'streams';
/** STREAMS_PASTE_BYTES=10000000 STREAMS_IDLE_SECONDS=120 npm run test:e2e streams: as much, and as long, as is promised. */
const PASTE_BYTES = Number(process.env['STREAMS_PASTE_BYTES'] ?? 200_000);
const IDLE_SECONDS = Number(process.env['STREAMS_IDLE_SECONDS'] ?? 0);
const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

let pod: PodObject;
let console_: GuestConsole;
const children: ChildProcess[] = [];

beforeAll(async () => {
  await freshNamespace(ns);
  await apply(tinyVmi(ns, name));
  pod = await launcherPod(await untilAgent(ns, name, 180_000));
  console_ = await GuestConsole.login(ns, name);
}, 400_000);

afterAll(async () => {
  for (const child of children) child.kill();
  (await kubeClient()).close();
  await kubectl('delete', 'namespace', ns, '--wait=false');
}, 60_000);

test('one logs in through the console', async () => {
  expect(await console_.run('echo $((6 * 7)) $(hostname)')).toBe('42 tiny');
});

test('what is pasted through it arrives whole', async () => {
  const data = randomBytes(PASTE_BYTES);
  const started = performance.now();
  console_.send(`stty raw -echo; echo REA''DY; head -c ${data.length} | sha256sum; stty sane; echo DO''NE\n`);
  await console_.until('READY', 30_000);
  console_.send(data);
  await console_.until('DONE', 60_000 + data.length / 20);
  await console_.until(sha256(data), 1_000);
  const seconds = (performance.now() - started) / 1000;
  process.stderr.write(`console: ${data.length} bytes in ${seconds.toFixed(1)} s\n`);
}, 660_000);

test('a file of the guest is downloaded through a forwarded port', async () => {
  const file = 'mkdir -p /tmp/www; dd if=/dev/urandom of=/tmp/www/file bs=1M count=4 2>/dev/null';
  // The shell wraps the echo of a long line, so the sum is looked for in what was shown.
  const shown = await console_.run(`${file}; httpd -p 8080 -h /tmp/www; sha256sum </tmp/www/file`, 60_000);
  const [sum] = /\b[0-9a-f]{64}\b/.exec(shown) ?? [];
  const child = spawn(local('bin/yagura'), ['port-forward', `${ns}/${name}`, '0:8080'], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  children.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const port = await eventually('yagura listens', 30_000, async () => /127\.0\.0\.1:(\d+)/.exec(said)?.[1]);
  const answer = await fetch(`http://127.0.0.1:${port}/file`);
  const body = new Uint8Array(await answer.arrayBuffer());
  expect(body.length).toBe(4 * 2 ** 20);
  expect(sha256(body)).toBe(sum);
  // A port that nobody listens on.
  await expect(openStream(ns, name, 'portforward/81/tcp')).rejects.toMatchObject({
    code: 500,
    message: expect.stringContaining('dialing VM'),
  });
}, 120_000);

test('a VNC client gets the screen, and is not thrown out when it is to be preserved', async () => {
  const socket = await openStream(ns, name, 'vnc');
  const screen = await framebuffer(socket);
  expect(screen.width * screen.height).toBeGreaterThan(640 * 300);
  expect(screen.name).toContain('QEMU');
  expect(screen.pixels.some((byte, index) => index % 4 !== 3 && byte > 0)).toBe(true);
  await expect(openStream(ns, name, 'vnc?preserveSession=true')).rejects.toMatchObject({
    code: 503,
    message: expect.stringContaining('Active VNC connection. Request denied.'),
  });
  const ended = endOf(socket);
  const second = await openStream(ns, name, 'vnc');
  expect(await ended).toMatchObject({ code: CLOSE.takenOver, reason: expect.stringMatching(/^taken over by \S/) });
  await framebuffer(second);
  second.close();
}, 60_000);

test('the screen is a picture', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'screen-')), 'screen.png');
  // With the pointer moved before, which another client of the VNC server does.
  expect(await yagura('screenshot', `${ns}/${name}`, '-m', '-f', file)).toMatchObject({ code: 0 });
  const png = readFileSync(file);
  expect(png.subarray(0, 8)).toEqual(Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]));
  expect(png.readUInt32BE(16)).toBeGreaterThanOrEqual(640);
}, 30_000);

test('a second console takes over; the first is told by whom', async () => {
  const second = await GuestConsole.login(ns, name);
  expect(await console_.end).toMatchObject({
    code: CLOSE.takenOver,
    reason: expect.stringMatching(/^taken over by \S/),
  });
  console_ = second;
  expect(await second.run('echo alive')).toBe('alive');
}, 120_000);

test('a frozen guest says so and thaws by itself', async () => {
  const client = await kubeClient();
  await client.request({ method: 'PUT', path: vmiPath(ns, name, 'freeze'), body: { unfreezeTimeout: '8s' } });
  await eventually('the instance is frozen', 20_000, async () => {
    return (await getVmi(ns, name))?.status?.fsFreezeStatus === 'frozen';
  });
  await eventually('it is thawed', 60_000, async () => (await getVmi(ns, name))?.status?.fsFreezeStatus === undefined);
  expect(await askAgent(pod, { execute: 'guest-fsfreeze-status' })).toBe('thawed');
  await client.request({ method: 'PUT', path: vmiPath(ns, name, 'unfreeze'), body: {} });
  // What the agent refused meanwhile is answered again.
  const info = await client.request<{ hostname?: string }>({ path: vmiPath(ns, name, 'guestosinfo') });
  expect(info.hostname).toBe('tiny');
}, 120_000);

test('after a pause the guest’s clock is set', async () => {
  await console_.run('date -s 2001-02-03');
  expect(await yagura('pause', `${ns}/${name}`)).toMatchObject({ code: 0 });
  await eventually('it is paused', 20_000, async () => condition(await getVmi(ns, name), 'Paused')?.status === 'True');
  expect(await yagura('unpause', `${ns}/${name}`)).toMatchObject({ code: 0 });
  await eventually('the clock is right', 60_000, async () => {
    const nanoseconds = await askAgent<number>(pod, { execute: 'guest-get-time' });
    return Math.abs(nanoseconds / 1e6 - Date.now()) < 5_000;
  });
}, 120_000);

test.each([
  ['softreboot', 'SoftRebooted'],
  ['reset', 'Reset'],
])(
  '%s boots the guest again, within the same instance',
  async (verb, event) => {
    const before = await bootId(pod);
    expect(await yagura(verb, `${ns}/${name}`)).toMatchObject({ code: 0 });
    await eventually('the guest has booted again', 120_000, async () => (await bootId(pod)) !== before);
    await eventually(`event ${event}`, 10_000, async () => {
      return (await eventsOf(ns, name)).some(({ reason }) => reason === event);
    });
  },
  150_000,
);

(IDLE_SECONDS > 0 ? test : test.skip)(
  'a session that is idle for long is still there',
  async () => {
    console_ = await GuestConsole.login(ns, name);
    await delay(IDLE_SECONDS * 1000);
    expect(await console_.run('echo alive')).toBe('alive');
  },
  IDLE_SECONDS * 1000 + 120_000,
);

test('a session ends with the guest, and says so', async () => {
  await tryKubectl(undefined, '-n', ns, 'delete', 'vmi', name, '--timeout=90s');
  expect(await console_.end).toMatchObject({
    code: CLOSE.normal,
    reason: expect.stringContaining('the virtual machine has ended'),
  });
}, 120_000);
