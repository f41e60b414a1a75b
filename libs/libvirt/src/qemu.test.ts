import { statSync } from 'node:fs';
import { agentProblem, type Connection, type Domain, type DomainEvent } from './index.ts';
import { describeReal } from './testing/describe-real.ts';
import { makeImage } from './testing/image.ts';
import { SessionDaemon } from './testing/session-daemon.ts';
import { domainXML, rootPorts } from './testing/tiny-guest.ts';
import { until } from './testing/until.ts';

describeReal('a domain in real QEMU', () => {
  let daemon: SessionDaemon;
  let connection: Connection;
  let domain: Domain;
  const events: DomainEvent[] = [];
  const lifecycle = (): string[] =>
    events.flatMap((event) => (event.type === 'lifecycle' ? [`${event.event} ${event.detail}`] : []));

  beforeAll(async () => {
    daemon = await SessionDaemon.start();
    connection = await daemon.open();
    await connection.subscribe(['lifecycle', 'reboot', 'device-added', 'device-removed', 'metadata-change'], (event) =>
      events.push(event),
    );
    const disk = makeImage(daemon.directory, 'disk.qcow2', '16M');
    domain = await connection.defineXML(
      domainXML({
        name: 'ns_demo',
        devices: `<disk type='file' device='disk'><driver name='qemu' type='qcow2'/><source file='${disk}'/><target dev='vda' bus='virtio'/></disk>
          <interface type='user'><mac address='02:00:00:00:00:07'/><model type='virtio'/></interface>
          ${rootPorts(12)}<video><model type='vga'/></video>
          <graphics type='vnc' socket='${daemon.directory}/vnc.sock'/>`,
      }),
      ['validate'],
    );
  }, 60_000);
  afterAll(async () => {
    await connection.close();
    await daemon.stop();
  });
  beforeEach(() => {
    events.length = 0;
  });

  test('the connection knows QEMU, its host and what a domain can have', async () => {
    expect(await connection.getVersion()).toBeGreaterThan(7_000_000);
    expect(await connection.getURI()).toContain('qemu:///session');
    const capabilities = await connection.getDomainCapabilities({ virtType: 'qemu', machine: 'q35' });
    expect(capabilities).toContain('<domain>qemu</domain>');
  });

  test('it starts paused, runs, pauses and runs again', async () => {
    expect(await domain.getState()).toEqual({ state: 'shutoff', reason: 'unknown' });
    await domain.create(['paused']);
    expect(await domain.getState()).toEqual({ state: 'paused', reason: 'user' });
    await domain.resume();
    expect(await domain.getState()).toEqual({ state: 'running', reason: 'unpaused' });
    await domain.suspend();
    expect(await domain.getState()).toEqual({ state: 'paused', reason: 'user' });
    await domain.resume();
    expect(await domain.getID()).toBe(1);
    await expect(domain.create()).rejects.toMatchObject({
      code: 'OPERATION_INVALID',
      message: expect.stringContaining('already running'),
    });
    await until('the events', () => lifecycle().length >= 5);
    expect(lifecycle()).toEqual([
      'started booted',
      'suspended paused',
      'resumed unpaused',
      'suspended paused',
      'resumed unpaused',
    ]);
  });

  test('all groups of stats come in one call, nested and exact', async () => {
    const [stats] = await connection.getAllDomainStats([], ['running']);
    expect(stats).toMatchObject({
      domain: { name: 'ns_demo', uuid: domain.uuid, id: 1 },
      state: { state: 'running', reason: 'unpaused' },
      vcpu: { current: 1, maximum: 1, vcpus: [{ index: 0, state: 'running' }] },
      balloon: { current: 65536n, maximum: 65536n },
      net: [{ rx: {}, tx: {} }],
      block: [{ name: 'vda', capacity: 16777216n, rd: {}, wr: {}, fl: {} }],
    });
    expect(typeof stats?.cpu?.time).toBe('bigint');
    expect(stats?.balloon?.rss).toBeGreaterThan(10_000n);
    expect(typeof stats?.block?.[0]?.rd.reqs).toBe('bigint');
    expect(typeof stats?.vcpu?.vcpus[0]?.time).toBe('bigint');
    expect(stats?.params.get('state.state')).toBe(1);
    expect(await connection.getAllDomainStats(['state'], ['shutoff'])).toEqual([]);
  });

  test('single figures agree with their units', async () => {
    expect((await domain.getInfo()).memory).toBe(65536n);
    expect((await domain.memoryStats()).rss).toBeGreaterThan(10_000n);
    const disk = await domain.blockStats('vda');
    expect(typeof disk.rdBytes).toBe('bigint');
    expect((await domain.getBlockInfo('vda')).capacity).toBe(16777216n);
    await expect(domain.blockStats('vdz')).rejects.toMatchObject({ code: 'INVALID_ARG' });
    await expect(domain.interfaceStats('nix0')).rejects.toMatchObject({ code: 'INVALID_ARG' });
    expect(await domain.getDiskErrors()).toEqual([]);
    expect(await domain.getControlInfo()).toMatchObject({ state: 'ok', errorReason: 'none' });
    await domain.setMemoryStatsPeriod(2, ['live']);
    expect(await domain.getXMLDesc()).toContain("<stats period='2'/>");
  });

  test('the dirty rate is measured', async () => {
    await domain.startDirtyRateCalc(1);
    await until('it is measured', async () => {
      const [stats] = await connection.getAllDomainStats(['dirtyrate']);
      expect(['measuring', 'measured']).toContain(stats?.dirtyRate?.status);
      return stats?.dirtyRate?.status === 'measured';
    });
    const [stats] = await connection.getAllDomainStats(['dirtyrate']);
    expect(stats?.dirtyRate).toMatchObject({ period: 1, mode: 'page-sampling' });
    expect(stats?.dirtyRate?.megabytesPerSecond).toBeGreaterThanOrEqual(0n);
  });

  test('metadata of the running domain is kept', async () => {
    const uri = 'http://yagura.dev/domain';
    await domain.setMetadata({ type: 'element', value: '<uid>42</uid>', key: 'yagura', uri }, ['live', 'config']);
    expect(await domain.getMetadata('element', uri, ['live'])).toBe('<uid>42</uid>');
    expect(await domain.getMetadata('element', uri, ['config'])).toBe('<uid>42</uid>');
    await until('its event', () => events.some((event) => event.type === 'metadata-change' && event.uri === uri));
  });

  test('a screenshot of its screen is an image', async () => {
    const { mimeType, data } = await domain.screenshot();
    expect(mimeType).toMatch(/^image\//);
    expect(data.length).toBeGreaterThan(1000);
  });

  test('a device is plugged in', async () => {
    const image = makeImage(daemon.directory, 'plugged.qcow2', '1M');
    const xml = `<disk type='file' device='disk'><driver name='qemu' type='qcow2'/><source file='${image}'/><target dev='vdb' bus='virtio'/></disk>`;
    await domain.attachDevice(xml, ['live']);
    expect(await domain.getXMLDesc()).toContain('plugged.qcow2');
    await until('its event', () => events.some((event) => event.type === 'device-added'));
    expect((await domain.getBlockInfo('vdb')).capacity).toBe(1048576n);
  });

  test('a QMP command is answered, and a reset makes a reboot event', async () => {
    expect(JSON.parse(await domain.qemuMonitorCommand('{"execute":"query-status"}'))).toMatchObject({
      return: { running: true },
    });
    await domain.reset();
    await until('the reboot event', () => events.some((event) => event.type === 'reboot'));
  });

  test('without an agent channel an agent call says so at once', async () => {
    const error: unknown = await domain.agentCommand('{"execute":"guest-ping"}').catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'ARGUMENT_UNSUPPORTED', domain: 'QEMU' });
    expect(agentProblem(error)).toBe('not-configured');
  });

  test('no job is a job of type none, and there is none to abort', async () => {
    expect(await domain.getJobStats()).toMatchObject({ type: 'none' });
    await expect(domain.abortJob()).rejects.toMatchObject({ code: 'OPERATION_INVALID' });
  });

  test('undefine leaves it running, destroy ends it, and its handle says that it is gone', async () => {
    await domain.undefine(['nvram']);
    expect(await domain.isPersistent()).toBe(false);
    await domain.destroy(['graceful']);
    await until('the last event', () => lifecycle().includes('stopped destroyed'));
    await expect(domain.getState()).rejects.toMatchObject({ code: 'NO_DOMAIN' });
    expect(statSync(daemon.socket).isSocket()).toBe(true);
  });
});
