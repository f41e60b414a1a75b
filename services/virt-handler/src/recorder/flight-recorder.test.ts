import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VirtualMachineInstance } from '@yagura/api';
import type { Sample } from '@yagura/layers';
import type { Timeline } from '@yagura/layers/timeline';
import type { Instance } from '../rest/instances.ts';
import { testVmi, UID } from '../vmi/testing.ts';
import { FlightRecorder } from './flight-recorder.ts';
import { Spool } from './spool.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'timeline-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const file = (uid = UID) => join(directory, 'default/demo', `${uid}.jsonl`);
const SECOND = 1_000;
const DAY = 86_400_000;

/** A virt-handler with one instance, of which one source says one thing; another one later finds what it has left. */
class World {
  vmis: VirtualMachineInstance[] = [testVmi()];
  state: Partial<Sample> = { value: 'running' };
  now = Date.parse('2026-11-30T12:00:00Z');
  readonly told: string[] = [];
  recorder = this.handler();

  handler(spool = new Spool(directory)): FlightRecorder {
    return new FlightRecorder({
      nodeName: 'node-a',
      spool,
      instances: () => this.vmis.map((vmi): Instance => ({ vmi, pod: undefined, link: undefined })),
      samples: (_, now) => [
        {
          layer: 'domain',
          field: 'state',
          source: 'libvirt',
          observedAt: now,
          maxAge: 10,
          state: 'answering',
          ...this.state,
        },
      ],
      writerOf: () => undefined,
      log: {
        info: (_: object, text: string) => this.told.push(text),
        warn: (_: object, text: string) => this.told.push(text),
      } as never,
      now: () => this.now,
    });
  }

  /** The source says something else. */
  async says(state: Partial<Sample>): Promise<void> {
    this.state = state;
    for (const vmi of this.vmis) this.recorder.look({ vmi, pod: undefined, link: undefined });
    // What was written down before is read first.
    await this.recorder.timeline('default', 'demo');
  }

  async round(afterMs = SECOND): Promise<void> {
    this.now += afterMs;
    await this.recorder.round();
  }

  async lines(uid?: string): Promise<string[]> {
    return textsOf(await this.recorder.timeline('default', 'demo', uid));
  }
}

function textsOf(timeline: Timeline | undefined): string[] {
  return (timeline?.entries ?? []).map((entry) =>
    entry.kind === 'event' ? entry.message : entry.kind === 'change' ? `${entry.old} → ${entry.new}` : 'flap',
  );
}

test('what changes is recorded, and there after virt-handler was killed', async () => {
  const world = new World();
  await world.says({ value: 'running' });
  await world.says({ value: 'paused' });
  await world.round();
  world.recorder = world.handler();
  await world.says({ value: 'shutoff' });
  expect(await world.lines()).toEqual([
    'recording begins',
    'null → running',
    'running → paused',
    'virt-handler was started again, recording goes on',
    'paused → shutoff',
  ]);
  const seqs = (await world.recorder.timeline('default', 'demo'))?.entries.map(({ seq }) => seq);
  expect(seqs).toEqual([1, 2, 3, 4, 5]);
});

test('one that stops in order writes down all there is', async () => {
  const world = new World();
  await world.says({ value: 'running' });
  await world.recorder.close();
  world.recorder = world.handler();
  world.vmis = [];
  expect(await world.lines()).toEqual(['recording begins', 'null → running', 'virt-handler stops']);
});

test('what happened while the first lines were being read is not lost', async () => {
  const world = new World();
  const [vmi = testVmi()] = world.vmis;
  world.recorder.look({ vmi, pod: undefined, link: undefined });
  world.recorder.event(UID, { layer: 'domain', field: 'lifecycle', source: 'libvirt', message: 'started booted' });
  expect(await world.lines()).toEqual(['recording begins', 'started booted', 'null → running']);
});

test('an idle instance costs no write', async () => {
  const world = new World();
  await world.says({ value: 'running' });
  await world.round();
  const before = await stat(file());
  for (let count = 0; count < 20; count++) await world.round(10 * SECOND);
  expect((await stat(file())).mtimeMs).toBe(before.mtimeMs);
  expect((await world.lines()).length).toBe(2);
});

test('what only ages is noticed without anybody telling', async () => {
  const world = new World();
  await world.says({ value: 'running', observedAt: new Date(world.now) });
  for (let count = 0; count < 4; count++) await world.round(5 * SECOND);
  const { entries } = (await world.recorder.timeline('default', 'demo')) as Timeline;
  expect(entries.at(-1)).toMatchObject({ field: 'state', freshness: { old: 'live', new: 'stale' } });
});

test('an instance that is gone is told of, also by the next virt-handler; one of its name again is another run', async () => {
  const world = new World();
  await world.says({ value: 'running' });
  const [first = testVmi()] = world.vmis;
  world.vmis = [testVmi({}, {}, { uid: 'second' })];
  world.recorder.gone(first);
  await world.says({ value: 'running' });
  world.now += SECOND;
  await world.says({ value: 'paused' });
  await world.round();
  for (const recorder of [world.recorder, world.handler()]) {
    world.recorder = recorder;
    await world.says({ value: 'paused' });
    const newest = await recorder.timeline('default', 'demo');
    expect(newest).toMatchObject({ metadata: { uid: 'second' }, recording: true });
    expect(newest?.runs).toMatchObject([
      { uid: 'second', recording: true },
      { uid: UID, recording: false },
    ]);
    expect(await world.lines(UID)).toEqual([
      'recording begins',
      'null → running',
      'the instance is gone from this node',
    ]);
  }
});

test('a run that nobody remembers is none', async () => {
  const { recorder } = new World();
  await expect(recorder.timeline('default', 'demo')).resolves.toBeUndefined();
  await expect(recorder.timeline('default', '../../etc')).resolves.toBeUndefined();
  await expect(recorder.timeline('default', 'demo', 'other')).resolves.toBeUndefined();
});

test('a line that was torn is left out, and what comes later stands behind whole lines', async () => {
  const world = new World();
  await world.says({ value: 'running' });
  await world.round();
  await world.says({ value: 'paused' });
  await world.round();
  await truncate(file(), (await stat(file())).size - 10);
  world.recorder = world.handler();
  await world.says({ value: 'running' });
  await world.round();
  world.recorder = world.handler();
  world.vmis = [];
  expect(await world.lines()).toEqual([
    'recording begins',
    'null → running',
    'virt-handler was started again, recording goes on',
  ]);
});

test('a disk that takes nothing costs the recording on it alone, is told once, and is written again later', async () => {
  const world = new World();
  await world.says({ value: 'running' });
  await world.round();
  await rm(join(directory, 'default'), { recursive: true });
  await writeFile(join(directory, 'default'), 'in the way');
  for (let count = 0; count < 5; count++) {
    await world.says({ value: count % 2 === 0 ? 'paused' : 'running' });
    await world.round(31 * SECOND);
  }
  expect(world.told).toEqual(['timelines are not recorded on the node as they should be']);
  expect(await world.lines()).toHaveLength(7);
  await rm(join(directory, 'default'));
  await world.round(31 * SECOND);
  expect(world.told.at(-1)).toBe('timelines are written again');
  const { entries } = (await world.recorder.timeline('default', 'demo')) as Timeline;
  const written = (await readFile(file(), 'utf8')).trim().split('\n').slice(1, -1);
  expect(written.map((line) => JSON.parse(line) as unknown)).toEqual(entries);
});

test.each([
  ['nonsense', 'nonsense'],
  [
    'a head alone',
    '{"format":1,"namespace":"default","name":"demo","uid":"x","node":"node-a","startedAt":"T","dropped":0}',
  ],
  ['entries that are none', '{"format":1,"dropped":0}\n{"known":null}\n{"seq":1,"time":"T","kind":"change"}\n[]\nnull'],
])('lines that nobody has written so (%s) do not keep it from recording', async (_, text) => {
  const world = new World();
  await mkdir(join(directory, 'default/demo'), { recursive: true });
  await writeFile(file(), `${text}\n`);
  await world.says({ value: 'running' });
  await world.says({ value: 'paused' });
  await world.round();
  world.recorder = world.handler();
  world.vmis = [];
  expect((await world.lines()).slice(-1)).toEqual(['running → paused']);
});

test('a source that throws costs nobody but the recording', async () => {
  const world = new World();
  await world.says({ value: 'running' });
  await expect(
    world.says({
      observedAt: {
        getTime: () => {
          throw new Error('no time');
        },
      } as never,
    }),
  ).resolves.toBeUndefined();
  expect(world.told).toHaveLength(1);
});

test('a run that changes for ever takes a bounded place on the node', async () => {
  const world = new World();
  for (let count = 0; count < 3000; count++) {
    world.now += 60 * SECOND;
    const message = `${count} ${'x'.repeat(300)}`;
    world.recorder.event(UID, { layer: 'domain', field: `event-${count}`, source: 'libvirt', message });
    if (count === 0) await world.says({ value: 'running' });
    if (count % 20 === 0) await world.round();
  }
  await world.round();
  expect((await stat(file())).size).toBeLessThan(270 * 1024);
  world.recorder = world.handler();
  world.vmis = [];
  expect((await world.lines()).at(-1)).toMatch(/^2999 /);
});

test('what is old is forgotten, with its directory', async () => {
  const world = new World();
  await world.says({ value: 'running' });
  const [vmi = testVmi()] = world.vmis;
  world.vmis = [];
  world.recorder.gone(vmi);
  await world.round();
  expect(await readdir(directory)).toEqual(['default']);
  world.now = Date.now() + 8 * DAY;
  await world.round();
  expect(await readdir(directory)).toEqual([]);
});

test('others on the node do not read it', async () => {
  const world = new World();
  await chmod(directory, 0o755);
  await world.says({ value: 'running' });
  await world.round();
  expect((await stat(file())).mode & 0o077).toBe(0);
  expect((await stat(join(directory, 'default'))).mode & 0o077).toBe(0);
});

test('a look that throws does not keep others from being written', async () => {
  const world = new World();
  await world.says({ value: 'running' });
  const broken = {
    getTime: () => {
      throw new Error('no time');
    },
  };
  world.state = { observedAt: broken as never };
  for (let count = 0; count < 5; count++) {
    world.recorder.event(UID, { layer: 'domain', field: 'reboot', source: 'libvirt', message: `${count}` });
    await world.round(6 * SECOND);
  }
  expect(world.told).toHaveLength(1);
  expect(await readFile(file(), 'utf8')).toContain('"message":"4"');
});

test('one file that cannot be written keeps no other run from being written', async () => {
  const world = new World();
  world.vmis = [testVmi(), testVmi({}, {}, { uid: 'second' })];
  await mkdir(`${file()}.new`, { recursive: true });
  await world.says({ value: 'running' });
  await world.lines('second');
  await world.round();
  expect(await readFile(file('second'), 'utf8')).toContain('running');
  expect(world.told).toHaveLength(1);
});

test('what cannot be read for a moment is not overwritten', async () => {
  const world = new World();
  await world.says({ value: 'running' });
  await world.round();
  const before = await readFile(file(), 'utf8');
  const spool = new Spool(directory);
  const read = spool.read.bind(spool);
  spool.read = () => Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
  world.recorder = world.handler(spool);
  world.state = { value: 'paused' };
  await world.round();
  await world.round(31 * SECOND);
  expect(await readFile(file(), 'utf8')).toBe(before);
  spool.read = read;
  await world.round(31 * SECOND);
  expect((await world.lines()).slice(0, 2)).toEqual(['recording begins', 'null → running']);
  expect((await world.lines()).at(-1)).toBe('null → paused');
  expect(await readFile(file(), 'utf8')).toContain('paused');
});

test('a file of another format is set aside', async () => {
  const world = new World();
  await mkdir(join(directory, 'default/demo'), { recursive: true });
  await writeFile(file(), '{"format":99}\n');
  await world.says({ value: 'running' });
  await world.round();
  expect(await readFile(`${file()}.unread`, 'utf8')).toBe('{"format":99}\n');
  const runs = await new Spool(directory).runs(0);
  expect(runs.map(({ unread = false }) => unread).sort()).toEqual([false, true]);
});

test('a run that goes while it is written loses nothing', async () => {
  const world = new World();
  const spool = new Spool(directory);
  world.recorder = world.handler(spool);
  await world.says({ value: 'running' });
  await world.round();
  const [vmi = testVmi()] = world.vmis;
  await world.says({ value: 'paused' });
  world.vmis = [];
  const add = spool.add.bind(spool);
  spool.add = async (...args) => {
    spool.add = add;
    const added = await add(...args);
    world.recorder.gone(vmi);
    return added;
  };
  await world.round();
  await world.round();
  expect(await readFile(file(), 'utf8')).toContain('is gone from this node');
});

test('a file that vanished is written again with its head, and what was left of a write is removed', async () => {
  const world = new World();
  await world.says({ value: 'running' });
  await world.round();
  await rm(file());
  await writeFile(`${file('old')}.new`, 'torn');
  await world.says({ value: 'paused' });
  world.now = Date.now() + 2 * 3600 * SECOND;
  await world.round();
  expect(await readdir(join(directory, 'default/demo'))).toEqual([`${UID}.jsonl`]);
  expect(JSON.parse((await readFile(file(), 'utf8')).split('\n')[0] ?? '')).toMatchObject({ format: 1, uid: UID });
});
