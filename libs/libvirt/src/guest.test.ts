import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { agentProblem, type Connection, type Domain, type DomainEvent, LibvirtTimeoutError } from './index.ts';
import { describeReal } from './testing/describe-real.ts';
import { makeImage } from './testing/image.ts';
import { SessionDaemon } from './testing/session-daemon.ts';
import { domainXML, rootPorts, tinyGuest } from './testing/tiny-guest.ts';
import { until } from './testing/until.ts';

describeReal('a guest with an agent in real QEMU', () => {
  let daemon: SessionDaemon;
  let connection: Connection;
  let domain: Domain;
  const events: DomainEvent[] = [];
  const agentStates = (): string[] =>
    events.flatMap((event) => (event.type === 'agent-lifecycle' ? [event.state] : []));

  /** Runs a shell command in the guest, without waiting for it. */
  async function inGuest(command: string): Promise<void> {
    const args = { path: '/bin/sh', arg: ['-c', command] };
    await domain.agentCommand(JSON.stringify({ execute: 'guest-exec', arguments: args }), 10);
  }

  beforeAll(async () => {
    const guest = tinyGuest();
    daemon = await SessionDaemon.start();
    connection = await daemon.open();
    await connection.subscribe(
      ['lifecycle', 'agent-lifecycle', 'io-error', 'reboot', 'device-added', 'device-removed', 'balloon-change'],
      (event) => events.push(event),
    );
    // A disk that claims more than its filesystem can hold.
    const small = `${daemon.directory}/small`;
    mkdirSync(small);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0777', 'tmpfs', small]);
    const disk = makeImage(small, 'disk.qcow2', '16M');
    domain = await connection.defineXML(
      domainXML({
        name: 'ns_guest',
        guest,
        memoryMiB: 192,
        devices: `<disk type='file' device='disk'><driver name='qemu' type='qcow2'/><source file='${disk}'/><target dev='vda' bus='virtio'/></disk>
          <interface type='user'><mac address='02:00:00:00:00:07'/><model type='virtio'/></interface>${rootPorts(12)}`,
      }),
    );
    await domain.create();
    const early: unknown = await domain.agentCommand('{"execute":"guest-ping"}').catch((error: unknown) => error);
    expect(agentProblem(early)).toBe('not-connected');
    await until('the agent is connected', () => agentStates().includes('connected'));
  }, 120_000);
  afterAll(async () => {
    await connection.close();
    await daemon.stop();
  }, 60_000);

  test('the agent answers raw commands', async () => {
    expect(await domain.agentCommand('{"execute":"guest-ping"}')).toBe('{"return":{}}');
    const info = JSON.parse((await domain.agentCommand('{"execute":"guest-info"}', 'block')) ?? '') as object;
    expect(info).toHaveProperty('return.version');
    const refused: unknown = await domain.agentCommand('{"execute":"guest-nonsense"}').catch((error: unknown) => error);
    expect(agentProblem(refused)).toBe('refused');
    expect((refused as Error).message).toContain('guest-nonsense');
  });

  test('guest info comes nested, and only of the types asked for', async () => {
    const info = await domain.getGuestInfo(['hostname', 'os', 'timezone', 'interfaces', 'users']);
    expect(info).toMatchObject({
      hostname: 'tiny',
      os: { machine: 'x86_64', kernelRelease: expect.stringContaining('cloud-amd64') },
      timezone: { name: 'UTC', offset: 0 },
      users: [],
      interfaces: [
        { name: 'lo', addrs: [{ type: 'ipv4', addr: '127.0.0.1', prefix: 8 }, { addr: '::1' }] },
        { name: 'eth0', hwaddr: '02:00:00:00:00:07', addrs: [] },
      ],
    });
    const hostname = await domain.getGuestInfo(['hostname']);
    expect(Object.keys(hostname).sort()).toEqual(['hostname', 'params']);
    expect(await domain.getHostname()).toBe('tiny');
  });

  test('interface addresses come from the agent', async () => {
    const [lo] = await domain.interfaceAddresses('agent');
    expect(lo).toMatchObject({ name: 'lo', addrs: [{ type: 'ipv4', addr: '127.0.0.1', prefix: 8 }, { type: 'ipv6' }] });
  });

  test("the guest's clock is read and set", async () => {
    await domain.setTime({ seconds: 2_000_000_000n, nanoseconds: 0 });
    const { seconds } = await domain.getTime();
    expect(seconds).toBeGreaterThanOrEqual(2_000_000_000n);
    expect(seconds).toBeLessThan(2_000_000_060n);
  });

  test('filesystems are frozen and thawed', async () => {
    expect(await domain.fsFreeze()).toBe(0);
    expect(await domain.fsThaw()).toBe(0);
  });

  test("the balloon reports the guest's own figures", async () => {
    await domain.setMemoryStatsPeriod(1, ['live']);
    await until('the guest has reported', async () => ((await domain.memoryStats()).lastUpdate ?? 0n) > 0n);
    const memory = await domain.memoryStats();
    expect(memory.available).toBeGreaterThan(100_000n);
    expect(memory.unused).toBeLessThan(memory.available ?? 0n);
  });

  test('a device is plugged in and out', async () => {
    const image = makeImage(daemon.directory, 'plugged.qcow2', '1M');
    const xml = `<disk type='file' device='disk'><driver name='qemu' type='qcow2'/><source file='${image}'/><target dev='vdb' bus='virtio'/><alias name='ua-plugged'/></disk>`;
    await domain.attachDevice(xml, ['live']);
    await until('it is in', () => events.some((e) => e.type === 'device-added' && e.device === 'ua-plugged'));
    await until('it is out', async () => {
      await domain.detachDevice(xml, ['live']).catch(() => undefined);
      return events.some((e) => e.type === 'device-removed' && e.device === 'ua-plugged');
    });
  });

  test('a hung agent rejects at the timeout, and holds up nothing but the agent', async () => {
    await domain.setAgentResponseTimeout(1);
    await inGuest('p=$(pidof qemu-ga); sleep 0.3; kill -STOP $p; sleep 12; kill -CONT $p');
    await until('the agent hangs', () =>
      domain.agentCommand('{"execute":"guest-ping"}', 1).then(
        () => false,
        () => true,
      ),
    );
    await domain.setAgentResponseTimeout(4);
    let settled = false;
    const hanging = domain.agentCommand('{"execute":"guest-ping"}', 4).finally(() => {
      settled = true;
    });
    const problem = hanging.catch(agentProblem);
    const impatient = expect(
      domain.agentCommand('{"execute":"guest-ping"}', 'default', { timeoutMs: 200 }),
    ).rejects.toThrow(new LibvirtTimeoutError('Domain.agentCommand', 200, false));
    for (let i = 0; i < 20; i++) expect((await domain.getState()).state).toBe('running');
    expect(await connection.getAllDomainStats(['state', 'cpu'])).toHaveLength(1);
    expect(settled).toBe(false);
    await impatient;
    expect(await problem).toBe('no-answer');
    await domain.setAgentResponseTimeout(1);
    await until('the agent is back', () =>
      domain.agentCommand('{"execute":"guest-ping"}', 1).then(
        () => true,
        () => false,
      ),
    );
    await domain.setAgentResponseTimeout('default');
  }, 60_000);

  test('an agent that dies and comes back shows in its events', async () => {
    events.length = 0;
    await inGuest('sleep 0.2; kill -9 $(pidof qemu-ga)');
    await until('both events', () => agentStates().length >= 2);
    expect(agentStates()).toEqual(['disconnected', 'connected']);
  });

  test('a hung QEMU holds up its own calls; the same connection still tells the state', async () => {
    const qemu = daemon.qemuPid('ns_guest');
    process.kill(qemu, 'SIGSTOP');
    try {
      const stuck = connection.getAllDomainStats(['balloon', 'block'], [], { timeoutMs: 3000 });
      const rejected = expect(stuck).rejects.toThrow(
        new LibvirtTimeoutError('Connection.getAllDomainStats', 3000, true),
      );
      let settled = false;
      void rejected.then(() => {
        settled = true;
      });
      expect((await domain.getState()).state).toBe('running');
      expect(settled).toBe(false);
      await until('the channel is seen to be occupied', async () => {
        const control = await domain.getControlInfo();
        return ['occupied', 'job'].includes(control.state) && control.stateTimeMs > 500;
      });
      await rejected;
    } finally {
      process.kill(qemu, 'SIGCONT');
    }
    expect(await connection.getAllDomainStats(['balloon'])).toHaveLength(1);
  }, 60_000);

  test('a full disk pauses the guest and says so in event, state and disk errors', async () => {
    await inGuest('dd if=/dev/zero of=/dev/vda bs=64k count=64 conv=fsync');
    await until('the event', () => events.some((event) => event.type === 'io-error'));
    expect(events.find((event) => event.type === 'io-error')).toMatchObject({
      domain: { name: 'ns_guest' },
      device: 'virtio-disk0',
      action: 'pause',
      reason: 'enospc',
    });
    await until('the state', async () => (await domain.getState()).state === 'paused');
    expect(await domain.getState()).toEqual({ state: 'paused', reason: 'ioerror' });
    expect(await domain.getDiskErrors()).toEqual([{ disk: 'vda', error: 'no-space' }]);
    execFileSync('mount', ['-o', 'remount,size=32m', `${daemon.directory}/small`]);
    await domain.resume();
    await until('it runs', async () => (await domain.getState()).state === 'running');
  }, 60_000);

  test('it reboots and shuts down by its agent', async () => {
    await until('the agent answers', () =>
      domain.agentCommand('{"execute":"guest-ping"}', 1).then(
        () => true,
        () => false,
      ),
    );
    events.length = 0;
    await domain.reboot(['guest-agent']);
    await until('the reboot event', () => events.some((event) => event.type === 'reboot'));
    await until('the agent is connected again', () => agentStates().at(-1) === 'connected');
    await domain.shutdown(['guest-agent']);
    await until('it is off', async () => (await domain.getState()).state === 'shutoff');
    expect(await domain.getState()).toEqual({ state: 'shutoff', reason: 'shutdown' });
    const lifecycle = events.flatMap((event) => (event.type === 'lifecycle' ? [`${event.event} ${event.detail}`] : []));
    expect(lifecycle.slice(-2)).toEqual(['shutdown guest', 'stopped shutdown']);
  }, 120_000);
});
