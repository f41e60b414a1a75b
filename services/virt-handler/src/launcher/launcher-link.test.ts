import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  AnswerState,
  addService,
  createServer,
  type Domain,
  DomainSchema,
  DomainState,
  GetGuestInfoResponseSchema,
  GuestAgentChannel,
  Launcher,
  listenUnix,
  RpcError,
  type ServiceHandlers,
  Status,
} from '@yagura/contracts';
import { createLogger } from '@yagura/runtime';
import { type LauncherChange, LauncherLink } from './launcher-link.ts';

const log = createLogger('test', '0').child({}, { level: 'silent' });
let directory: string;
const cleanups: (() => void)[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'link-'));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) cleanup();
  await rm(directory, { recursive: true });
});

/** A launcher as far as a link sees it, whose domain the test changes. */
function fakeLauncher(startedAt: string) {
  const waiting = new Set<() => void>();
  let domain: Domain = create(DomainSchema, { state: DomainState.RUNNING, libvirt: { connected: true, losses: 0 } });
  const none = async (): Promise<never> => {
    throw new RpcError(Status.UNIMPLEMENTED, 'not in this test');
  };
  const handlers: ServiceHandlers<typeof Launcher> = {
    syncVirtualMachine: none,
    syncVolumes: none,
    syncVirtualMachineCpus: none,
    syncVirtualMachineMemory: none,
    pauseVirtualMachine: none,
    unpauseVirtualMachine: none,
    shutdownVirtualMachine: none,
    killVirtualMachine: none,
    deleteVirtualMachine: none,
    getDomainStats: none,
    getUsers: none,
    getFilesystems: none,
    guestPing: none,
    suspendGuestProbes: none,
    guestExec: none,
    getScreenshot: none,
    unfreeze: none,
    freeze: none,
    reset: none,
    softReboot: none,
    syncInterfaces: none,
    getDomain: async () => ({ domain }),
    async *watchDomain(_request, { signal }) {
      while (!signal.aborted) {
        yield { domain };
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    },
    getGuestInfo: async () => {
      const status = { state: AnswerState.OK, observedAt: timestampFromDate(new Date()) };
      return create(GetGuestInfoResponseSchema, { os: { name: 'Debian' }, osStatus: status, interfacesStatus: status });
    },
    ping: async () => ({ version: '1', startedAt: timestampFromDate(new Date(startedAt)) }),
  };
  return {
    handlers,
    change(part: Partial<Domain>) {
      domain = { ...domain, ...part };
      for (const wake of waiting) wake();
      waiting.clear();
    },
  };
}

async function serve(handlers: ServiceHandlers<typeof Launcher>) {
  const server = createServer();
  addService(server, Launcher, handlers);
  await listenUnix(server, join(directory, 'launcher-sock'));
  cleanups.push(() => server.forceShutdown());
  return server;
}

function connect() {
  const seen: LauncherChange[] = [];
  const link = new LauncherLink({
    socket: join(directory, 'launcher-sock'),
    log,
    onChange: (change) => {
      seen.push(change);
    },
  });
  cleanups.push(() => link.close());
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { link, seen, until };
}

test('before a launcher has spoken it is gone, not silent; then its domain is there', async () => {
  const { link, until } = connect();
  expect(link.state().state).toBe('gone');
  expect(link.silentMs()).toBeUndefined();
  await serve(fakeLauncher('2026-11-30T12:00:00Z').handlers);
  await until(() => link.domain !== undefined);
  expect(link.domain?.state).toBe(DomainState.RUNNING);
  expect(link.state().state).toBe('answering');
  expect(link.silentMs()).toBe(0);
});

test('what the agent says is fetched as soon as its channel opens', async () => {
  const launcher = fakeLauncher('2026-11-30T12:00:00Z');
  await serve(launcher.handlers);
  const { link, until } = connect();
  await until(() => link.domain !== undefined);
  expect(link.guest).toBeUndefined();
  launcher.change({ guestAgent: { $typeName: 'yagura.launcher.v1.GuestAgent', channel: GuestAgentChannel.CONNECTED } });
  await until(() => link.guest !== undefined);
  expect(link.guest?.os?.name).toBe('Debian');
});

test('a launcher that was replaced in place is told apart, keeps its domain, and is silent in between', async () => {
  const first = await serve(fakeLauncher('2026-11-30T12:00:00Z').handlers);
  const { link, seen, until } = connect();
  await until(() => link.domain !== undefined && link.state().startedAt !== undefined);
  first.forceShutdown();
  await until(() => link.state().state === 'failing');
  expect(link.domain?.state).toBe(DomainState.RUNNING);
  expect(link.state().error).toBeDefined();
  await serve(fakeLauncher('2026-11-30T12:00:05Z').handlers);
  await until(() => seen.includes('launcher-restarted'));
  expect(link.silentMs()).toBe(0);
});

test('a lost libvirt daemon is told once it is back', async () => {
  const launcher = fakeLauncher('2026-11-30T12:00:00Z');
  await serve(launcher.handlers);
  const { link, seen, until } = connect();
  await until(() => link.domain !== undefined);
  const daemon = (connected: boolean) => create(DomainSchema, { libvirt: { connected, losses: 1 } }).libvirt;
  launcher.change({ libvirt: daemon(false), state: DomainState.UNSPECIFIED });
  await until(() => link.domain?.state === DomainState.UNSPECIFIED);
  expect(seen).not.toContain('libvirt-restarted');
  launcher.change({ libvirt: daemon(true), state: DomainState.RUNNING });
  await until(() => seen.includes('libvirt-restarted'));
  expect(seen.filter((change) => change === 'libvirt-restarted')).toHaveLength(1);
});
