import { Connection, type DomainEvent, isLibvirtError, LibvirtError } from './index.ts';
import { until } from './testing/until.ts';

const XML = `<domain type='test'><name>made</name><memory>65536</memory><os><type>hvm</type></os></domain>`;

describe("libvirt's own test driver, test:///default", () => {
  let connection: Connection;
  beforeEach(async () => {
    connection = await Connection.open('test:///default');
  });
  afterEach(() => connection.close());

  test('a connection tells about its host', async () => {
    expect(await connection.getURI()).toBe('test:///default');
    expect(await connection.isAlive()).toBe(true);
    expect(await connection.getVersion()).toBe(2);
    expect(await connection.getLibVersion()).toBeGreaterThanOrEqual(9_000_000);
    expect(await connection.getHostname()).not.toBe('');
    expect(await connection.getCapabilities()).toContain('<capabilities>');
  });

  test('domains are found by name, by UUID and in the list', async () => {
    const [listed] = await connection.listAllDomains(['active']);
    const byName = await connection.lookupByName('test');
    const byUUID = await connection.lookupByUUID(byName.uuid);
    expect([listed?.name, byName.name, byUUID.name]).toEqual(['test', 'test', 'test']);
    expect(listed?.uuid).toBe(byUUID.uuid);
    expect(await connection.listAllDomains(['inactive'])).toEqual([]);
  });

  test('a domain goes through its states, each with its reason and its event', async () => {
    const events: string[] = [];
    await connection.subscribe(['lifecycle'], (event) => events.push(`${event.event} ${event.detail}`));
    const domain = await connection.defineXML(XML);
    const states: string[] = [];
    const note = async (): Promise<void> => {
      const { state, reason } = await domain.getState();
      states.push(`${state} ${reason}`);
    };
    await note();
    await domain.create();
    await note();
    await domain.suspend();
    await note();
    await domain.resume();
    expect(await domain.isActive()).toBe(true);
    expect(await domain.isPersistent()).toBe(true);
    expect(await domain.getID()).toBeGreaterThan(0);
    await domain.destroy();
    expect(await domain.getID()).toBe(-1);
    await note();
    await domain.undefine();
    await until('the last event', () => events.includes('undefined removed'));
    expect(states).toEqual(['shutoff unknown', 'running booted', 'paused user', 'shutoff destroyed']);
    expect(events).toEqual([
      'defined added',
      'started booted',
      'suspended paused',
      'resumed unpaused',
      'stopped destroyed',
      'undefined removed',
    ]);
  });

  test('a transient domain is gone when it ends', async () => {
    const domain = await connection.createXML(XML);
    expect(await domain.isPersistent()).toBe(false);
    await domain.destroy();
    await expect(domain.getState()).rejects.toMatchObject({ code: 'NO_DOMAIN' });
  });

  test('CPUs come up to the maximum, and a wrong number never reaches libvirt', async () => {
    const domain = await connection.createXML(XML.replace('<os>', "<vcpu current='1'>3</vcpu><os>"));
    await domain.setVcpus(2, ['live']);
    expect((await domain.getInfo()).vcpus).toBe(2);
    await expect(domain.setVcpus(4, ['live'])).rejects.toMatchObject({ code: 'INVALID_ARG' });
    await expect(domain.setVcpus(0)).rejects.toThrow('expected a whole number above 0');
    await domain.destroy();
  });

  test('the XML comes back, active and inactive', async () => {
    const domain = await connection.defineXML(XML);
    expect(await domain.getXMLDesc()).toContain('<name>made</name>');
    expect(await domain.getXMLDesc(['inactive', 'secure'])).toContain('<name>made</name>');
  });

  test('metadata is set, read and removed', async () => {
    const domain = await connection.lookupByName('test');
    const uri = 'http://yagura.dev/test';
    await expect(domain.getMetadata('element', uri)).rejects.toMatchObject({ code: 'NO_DOMAIN_METADATA' });
    await domain.setMetadata({ type: 'element', value: '<run uid="7"/>', key: 'yagura', uri });
    expect(await domain.getMetadata('element', uri)).toBe('<run uid="7"/>');
    await domain.setMetadata({ type: 'element', value: null, uri });
    await expect(domain.getMetadata('element', uri)).rejects.toMatchObject({ code: 'NO_DOMAIN_METADATA' });
    await domain.setMetadata({ type: 'title', value: 'a title' });
    expect(await domain.getMetadata('title')).toBe('a title');
  });

  test('figures come exact and nested', async () => {
    const domain = await connection.lookupByName('test');
    const info = await domain.getInfo();
    expect(info).toMatchObject({ state: 'running', maxMemory: 8388608n, memory: 2097152n, vcpus: 2 });
    expect(typeof info.cpuTime).toBe('bigint');
    const [stats] = await connection.getAllDomainStats(['state']);
    expect(stats).toMatchObject({
      domain: { name: 'test', uuid: domain.uuid, id: 1 },
      state: { state: 'running', reason: 'unknown' },
    });
  });

  test('a screenshot comes as a whole image', async () => {
    const domain = await connection.lookupByName('test');
    const { mimeType, data } = await domain.screenshot();
    expect(mimeType).toBe('image/png');
    expect(data.subarray(1, 4).toString()).toBe('PNG');
    expect(data.subarray(-8, -4).toString()).toBe('IEND');
  });

  test("an error carries libvirt's code, domain, level and message", async () => {
    const error = await connection.lookupByName('nobody').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(LibvirtError);
    expect(isLibvirtError(error, 'NO_DOMAIN')).toBe(true);
    expect(isLibvirtError(error, 'RPC')).toBe(false);
    expect(error).toMatchObject({
      name: 'LibvirtError',
      call: 'Connection.lookupByName',
      code: 'NO_DOMAIN',
      codeNumber: 42,
      domain: 'TEST',
      domainNumber: 12,
      level: 'error',
      message: 'Domain not found',
    });
  });

  test('bad XML is refused with what is wrong in it', async () => {
    await expect(connection.defineXML('<domain type="test"><name>x</name>')).rejects.toMatchObject({
      code: 'XML_DETAIL',
    });
    await expect(connection.defineXML('<domain type="test"/>')).rejects.toMatchObject({ code: 'NO_NAME' });
  });

  test('each subscription gets its own events until it is closed', async () => {
    const seen: Record<string, DomainEvent[]> = { a: [], b: [] };
    const a = await connection.subscribe(['lifecycle', 'reboot'], (event) => seen['a']?.push(event));
    const b = await connection.subscribe(['lifecycle'], (event) => seen['b']?.push(event));
    const domain = await connection.lookupByName('test');
    await domain.suspend();
    await until('both have it', () => seen['a']?.length === 1 && seen['b']?.length === 1);
    await a.close();
    await a.close();
    await domain.resume();
    await until('the other one has it', () => seen['b']?.length === 2);
    await b.close();
    await domain.suspend();
    const again = await connection.subscribe(['lifecycle'], (event) => seen['a']?.push(event));
    await domain.resume();
    await until('a new subscription works', () => seen['a']?.length === 2);
    expect(seen['b']?.length).toBe(2);
    await again.close();
  });

  test('a hundred calls at once come back in order, on several connections too', async () => {
    const others = await Promise.all(Array.from({ length: 4 }, () => Connection.open('test:///default')));
    const order: number[] = [];
    const domain = await connection.lookupByName('test');
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        await domain.getState();
        order.push(i);
      }),
    );
    expect(order).toEqual(Array.from({ length: 100 }, (_, i) => i));
    const names = await Promise.all(others.map(async (other) => (await other.lookupByName('test')).name));
    expect(names).toEqual(['test', 'test', 'test', 'test']);
    await Promise.all(others.map((other) => other.close()));
  });

  test('without a daemon there is a clear error', async () => {
    const uri = 'qemu:///session?socket=/nowhere/libvirt-sock';
    const error: unknown = await Connection.open(uri).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'SYSTEM_ERROR', domain: 'RPC' });
    expect((error as Error).message).toContain('/nowhere/libvirt-sock');
  });
});
