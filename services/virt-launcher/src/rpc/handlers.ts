import { durationFromMs, durationMs, timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type Launcher as LauncherService,
  RpcError,
  type ServiceHandlers,
  ShutdownMethod,
  Status,
} from '@yagura/contracts';
import type { Domain } from '@yagura/libvirt';
import { sleep } from '@yagura/runtime';
import { WrongStateError } from '../domain/errors.ts';
import { killReason } from '../domain/outcome.ts';
import { pause } from '../domain/pause.ts';
import { softReboot } from '../domain/reboot.ts';
import type { Launcher } from '../launcher.ts';
import { VERSION } from '../version.ts';
import { domainMessage, watchMessage } from './domain-message.ts';
import { toRpcError } from './errors.ts';
import { filesystemsMessage, guestInfoMessage, usersMessage } from './guest-messages.ts';
import { statsMessage } from './stats-message.ts';
import { instanceOf, interfaceRequest, plugRequest, syncRequest } from './sync-request.ts';

type Handlers = ServiceHandlers<typeof LauncherService>;

const EXEC_TIMEOUT_MS = 5_000;
const LOOK_TIMEOUT_MS = 1_000;

/** Every call of the contract, each a few words to the launcher's parts. */
export function handlers(launcher: Launcher, startedAt: Date): Handlers {
  const running = async (): Promise<Domain> => {
    const domain = await launcher.access.find(launcher.name);
    if (domain === undefined) throw new WrongStateError('no domain is defined');
    return domain;
  };
  const all: Handlers = {
    async syncVirtualMachine(request) {
      await launcher.sync(syncRequest(request));
      return { domain: domainMessage(launcher.view) };
    },
    async syncVolumes(request) {
      const problems = await launcher.syncVolumes(plugRequest(request));
      return { domain: domainMessage(launcher.view), problems };
    },
    async syncInterfaces(request) {
      const problems = await launcher.syncInterfaces(interfaceRequest(request));
      return { domain: domainMessage(launcher.view), problems };
    },
    async syncVirtualMachineCpus(request) {
      await launcher.syncCpus(instanceOf(request.vmi));
      return { domain: domainMessage(launcher.view) };
    },
    async syncVirtualMachineMemory(request) {
      await launcher.syncMemory(instanceOf(request.vmi));
      return { domain: domainMessage(launcher.view) };
    },
    async pauseVirtualMachine() {
      await pause(await running(), launcher.record);
      return {};
    },
    async unpauseVirtualMachine() {
      const domain = await running();
      // Whoever got no answer asks again; what has to follow was recorded the first time.
      if ((await domain.getState()).state === 'running') return {};
      launcher.clock.request();
      await domain.resume();
      launcher.clock.begin();
      return {};
    },
    async softReboot() {
      const domain = await running();
      launcher.record.note({ rebootRequestedAt: new Date().toISOString() });
      const method = await softReboot(domain, launcher.agent.answering, launcher.log);
      return { method: method === 'acpi' ? ShutdownMethod.ACPI : ShutdownMethod.GUEST_AGENT };
    },
    async reset() {
      await (await running()).reset();
      return {};
    },
    async freeze({ unfreezeTimeout }) {
      await launcher.freezer.freeze(unfreezeTimeout === undefined ? undefined : durationMs(unfreezeTimeout));
      return {};
    },
    async unfreeze() {
      await launcher.freezer.unfreeze();
      return {};
    },
    async getScreenshot() {
      const { screenshot } = await import('../domain/screenshot.ts');
      return screenshot(await running());
    },
    async shutdownVirtualMachine() {
      const method = await launcher.stopper.requestShutdown();
      return { method: method === 'acpi' ? ShutdownMethod.ACPI : ShutdownMethod.GUEST_AGENT };
    },
    async killVirtualMachine() {
      await launcher.stopper.kill(killReason(launcher.record.record, new Date()));
      return {};
    },
    async deleteVirtualMachine() {
      await forget(launcher);
      return {};
    },
    async getDomain() {
      // With libvirt hanging, the last look is the answer, and says of what age it is.
      await Promise.race([launcher.observer.look(), sleep(LOOK_TIMEOUT_MS)]);
      return { domain: domainMessage(launcher.view) };
    },
    async *watchDomain(_request, { signal }) {
      for await (const { value, event } of launcher.hub.watch(() => launcher.view, signal)) {
        yield watchMessage(value, event);
      }
    },
    async getDomainStats() {
      const { observed } = launcher.observer;
      if (observed.kind !== 'defined') throw new WrongStateError('no domain is running');
      return statsMessage(await launcher.stats.read(launcher.name), observed.live, new Date());
    },
    async getGuestInfo() {
      return guestInfoMessage(launcher.agent.answers.all);
    },
    async getUsers() {
      return usersMessage(launcher.agent.answers.all);
    },
    async getFilesystems() {
      return filesystemsMessage(launcher.agent.answers.all);
    },
    async guestPing(_request, { signal }) {
      const sent = performance.now();
      await launcher.probes.ping(signal);
      return { roundTrip: durationFromMs(Math.round(performance.now() - sent)) };
    },
    async guestExec({ path, args, timeout }, { signal }) {
      if (path === '')
        throw new RpcError(Status.INVALID_ARGUMENT, 'path is empty: it must name a program of the guest');
      const timeoutMs = timeout === undefined ? EXEC_TIMEOUT_MS : Math.max(1_000, durationMs(timeout));
      return launcher.probes.exec({ path, args, timeoutMs }, signal);
    },
    async suspendGuestProbes({ suspended }) {
      launcher.suspendProbes(suspended);
      return {};
    },
    async ping() {
      return { version: VERSION, startedAt: timestampFromDate(startedAt) };
    },
  };
  return withStatus(all);
}

/** Lets the pod complete once nothing runs in it any more. */
async function forget(launcher: Launcher): Promise<void> {
  await launcher.observer.look();
  if (launcher.record.record !== undefined && launcher.record.record.end === undefined) {
    if (launcher.active) throw new WrongStateError('the domain is running: it has to be shut down or killed first');
    if (!launcher.link.status.connected) {
      throw new RpcError(Status.UNAVAILABLE, 'libvirt does not answer, so nobody knows whether the domain is running');
    }
  }
  launcher.podEnd.now();
}

/** The same handlers, with every error as a status of the contract. */
function withStatus(handlers: Handlers): Handlers {
  const wrapped = Object.entries(handlers).map(([name, handler]) => {
    if (name === 'watchDomain') return [name, handler];
    const call = handler as (...args: unknown[]) => Promise<unknown>;
    const withErrors = async (...args: unknown[]) => {
      try {
        return await call(...args);
      } catch (error) {
        throw toRpcError(error);
      }
    };
    return [name, withErrors];
  });
  return Object.fromEntries(wrapped) as Handlers;
}
