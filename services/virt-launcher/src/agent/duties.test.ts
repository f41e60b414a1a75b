import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RpcError, Status } from '@yagura/contracts';
import { LibvirtError } from '@yagura/libvirt';
import type { Logger } from '@yagura/runtime';
import { RunRecordFile } from '../domain/run-record.ts';
import { ClockSync } from './clock-sync.ts';
import { Freezer } from './freezer.ts';
import { OnlineCpus } from './online-cpus.ts';
import { OnlineMemory } from './online-memory.ts';

const log = { debug: () => {}, info: () => {} } as unknown as Logger;
const noCommand = new LibvirtError('Domain.agentCommand', {
  code: 1,
  domain: 10,
  level: 2,
  message: 'The command guest-fsfreeze-thaw has not been found',
});

let record: RunRecordFile;
let path: string;
let stop: AbortController;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'duties-')), 'run.json');
  record = new RunRecordFile(path);
  record.begin('u', 'default_demo');
  stop = new AbortController();
});
afterEach(() => stop.abort());

/** A guest whose agent does, or fails, what it is asked; each question is remembered. */
function guest(fail: (command: string) => Error | undefined = () => undefined) {
  const asked: string[] = [];
  const ask = async (command: string): Promise<unknown> => {
    asked.push(command);
    const error = fail(command);
    if (error) throw error;
    return null;
  };
  return { asked, ask };
}

const agent = { hold: () => () => {}, noteFreeze: () => {} };
const freezer = (
  ask: (command: string) => Promise<unknown>,
  from = record,
  obstacle = (): RpcError | undefined => undefined,
) => new Freezer({ ask, agent, obstacle, record: from, log });

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('condition not met in 5 s');
    await delay(5);
  }
}

describe('a freeze', () => {
  test('ends by itself when its time is over', async () => {
    const { asked, ask } = guest();
    const it = freezer(ask);
    void it.run(stop.signal);
    await it.freeze(50);
    expect(asked).toEqual(['guest-fsfreeze-freeze']);
    await until(() => asked.includes('guest-fsfreeze-thaw'));
    await until(() => record.record?.thawAt === undefined);
  });

  test('ends by the hand of a launcher that was restarted meanwhile', async () => {
    const { asked, ask } = guest();
    await freezer(ask).freeze(30);
    const again = freezer(ask, new RunRecordFile(path));
    void again.run(stop.signal);
    await until(() => asked.includes('guest-fsfreeze-thaw'));
  });

  test('without a time stays, and ends on request', async () => {
    const { asked, ask } = guest();
    const it = freezer(ask);
    void it.run(stop.signal);
    await it.freeze(undefined);
    expect(record.record?.thawAt).toBeUndefined();
    await it.unfreeze();
    expect(asked).toEqual(['guest-fsfreeze-freeze', 'guest-fsfreeze-thaw']);
  });

  test('is on record before the guest is asked, so that a launcher that dies then leaves no frozen guest', async () => {
    let recorded: string | undefined;
    const { ask } = guest(() => {
      recorded = new RunRecordFile(path).record?.thawAt;
      return undefined;
    });
    await freezer(ask).freeze(undefined);
    expect(recorded).toBeDefined();
  });

  test('that fails is thawed, as nobody knows how far it came', async () => {
    const { asked, ask } = guest((command) => (command === 'guest-fsfreeze-freeze' ? new Error('boom') : undefined));
    const it = freezer(ask);
    void it.run(stop.signal);
    await expect(it.freeze(60_000)).rejects.toThrow('boom');
    await until(() => asked.includes('guest-fsfreeze-thaw'));
  });

  test('is not tried without an agent', async () => {
    const { asked, ask } = guest();
    const closed = new RpcError(Status.UNAVAILABLE, 'the channel of the guest agent is closed');
    await expect(freezer(ask, record, () => closed).freeze(1)).rejects.toThrow(closed);
    expect(asked).toEqual([]);
    expect(record.record?.thawAt).toBeUndefined();
  });

  test('of an agent that cannot thaw is given up', async () => {
    const { ask } = guest(() => noCommand);
    const it = freezer(ask);
    void it.run(stop.signal);
    await expect(it.freeze(60_000)).rejects.toThrow('has not been found');
    await until(() => record.record?.thawAt === undefined);
  });
});

describe('the clock', () => {
  const clock = (ask: (command: string) => Promise<unknown>, obstacle = (): Error | undefined => undefined) =>
    new ClockSync({ ask, obstacle, record, log });

  test('is set once after the vCPUs run again', async () => {
    const { asked, ask } = guest();
    const it = clock(ask);
    void it.run(stop.signal);
    it.request();
    it.begin();
    await until(() => record.record?.clockSyncUntil === undefined);
    expect(asked).toEqual(['guest-set-time']);
  });

  test('is set by a launcher that was restarted meanwhile', async () => {
    const { asked, ask } = guest();
    clock(ask).request();
    void clock(ask).run(stop.signal);
    await until(() => asked.length === 1);
  });

  test('waits for an agent that is not there yet', async () => {
    const { asked, ask } = guest();
    let there = false;
    const it = clock(ask, () => (there ? undefined : new Error('no agent')));
    void it.run(stop.signal);
    it.request();
    it.begin();
    await delay(30);
    expect(asked).toEqual([]);
    there = true;
    await until(() => asked.length === 1);
  });
});

describe('CPUs that were plugged in', () => {
  const cpu = (id: number, online: boolean) => ({ 'logical-id': id, online, 'can-offline': true });
  /** A guest that tells of its CPUs, one list an answer, the last one for good. */
  const duty = (lists: object[][], asked: [string, object | undefined][], obstacle?: RpcError) =>
    new OnlineCpus({
      log,
      record,
      obstacle: () => obstacle,
      ask: async (command, _timeout, args) => {
        asked.push([command, args]);
        return JSON.stringify({ return: lists.length > 1 ? lists.shift() : lists[0] });
      },
    });

  test('are switched on where the guest leaves them off, and the duty is done', async () => {
    const asked: [string, object | undefined][] = [];
    const cpus = duty([[cpu(0, true), cpu(1, false)]], asked);
    void cpus.run(stop.signal);
    cpus.request(2);
    await until(() => record.record?.onlineCpus === undefined && asked.length > 0);
    expect(asked).toEqual([
      ['guest-get-vcpus', undefined],
      ['guest-set-vcpus', { vcpus: [cpu(1, true)] }],
    ]);
  });

  test('are waited for while the guest has not found them, also by a launcher that was restarted', async () => {
    const asked: [string, object | undefined][] = [];
    duty([], []).request(2);
    record = new RunRecordFile(path);
    void duty([[cpu(0, true)], [cpu(0, true), cpu(1, true)]], asked).run(stop.signal);
    await until(() => record.record?.onlineCpus === undefined);
    expect(asked.map(([command]) => command)).toEqual(['guest-get-vcpus', 'guest-get-vcpus']);
  });

  test('are left to a guest without an agent', async () => {
    record.note({ onlineCpus: { count: 2, until: new Date(Date.now() - 1).toISOString() } });
    const asked: [string, object | undefined][] = [];
    void duty([[]], asked, new RpcError(Status.UNAVAILABLE, 'no agent')).run(stop.signal);
    await until(() => record.record?.onlineCpus === undefined);
    expect(asked).toEqual([]);
  });
});

describe('memory that was plugged in', () => {
  const block = (index: number, online: boolean) => ({ 'phys-index': index, online });
  type Asked = [string, object | undefined][];
  const duty = (lists: object[][], asked: Asked, obstacle?: Error, taken = () => 2n) =>
    new OnlineMemory({
      log,
      record,
      taken,
      obstacle: () => obstacle,
      ask: async (command, _timeout, args) => {
        asked.push([command, args]);
        if (command === 'guest-set-memory-blocks') return null;
        return JSON.stringify({ return: lists.length > 1 ? lists.shift() : lists[0] });
      },
    });

  test('is switched on where the guest leaves it off, and looked at again until all of it is', async () => {
    const asked: Asked = [];
    const memory = duty(
      [
        [block(0, true), block(32, false)],
        [block(0, true), block(32, true)],
      ],
      asked,
    );
    void memory.run(stop.signal);
    memory.request(2);
    await until(() => record.record?.onlineMemory === undefined && asked.length > 0);
    expect(asked).toEqual([
      ['guest-get-memory-blocks', undefined],
      ['guest-set-memory-blocks', { 'mem-blks': [block(32, true)] }],
      ['guest-get-memory-blocks', undefined],
    ]);
  });

  test('is waited for while the guest has not taken it, also by a launcher that was restarted', async () => {
    const asked: Asked = [];
    duty([], []).request(2);
    record = new RunRecordFile(path);
    void duty([[block(0, true)]], asked, undefined, () => BigInt(asked.length + 1)).run(stop.signal);
    await until(() => record.record?.onlineMemory === undefined);
    expect(asked.map(([command]) => command)).toEqual(['guest-get-memory-blocks', 'guest-get-memory-blocks']);
  });

  test('is left to a guest without an agent', async () => {
    record.note({ onlineMemory: { bytes: 2, until: new Date(Date.now() - 1).toISOString() } });
    const asked: Asked = [];
    void duty([[]], asked, new RpcError(Status.UNAVAILABLE, 'no agent')).run(stop.signal);
    await until(() => record.record?.onlineMemory === undefined);
    expect(asked).toEqual([]);
  });
});
