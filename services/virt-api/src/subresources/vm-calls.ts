import { isFailedPatchTest, isNotFound, type KubeClient } from '@yagura/kube';
import { readJsonObject } from '../http/body.ts';
import type { Reply, RequestContext } from '../http/router.ts';
import { conflict, notFound } from '../http/status.ts';
import { VirtualMachineInstances, VirtualMachines, type Vm, type Vmi, vmSubject } from './objects.ts';
import { restartOptions, startOptions, stopOptions } from './options.ts';
import { decideRestart, decideStart, decideStop, type StateChange } from './state-change.ts';

export type ObjectClient = Pick<KubeClient, 'get' | 'patch'>;

/** PUT virtualmachines/{name}/start, stop and restart: 202, the change itself is virt-controller's. */
export function vmCalls(
  client: ObjectClient,
): Record<'start' | 'stop' | 'restart', (context: RequestContext) => Promise<Reply>> {
  const call =
    <Options extends { dryRun: boolean }>(
      parse: (body: Record<string, unknown>) => Options,
      decide: (vm: Vm, vmi: Vmi | undefined, options: Options) => StateChange,
    ) =>
    async (context: RequestContext): Promise<Reply> => {
      const options = parse(await readJsonObject(context.request));
      const target = { namespace: context.params['namespace'] ?? '', name: context.params['name'] ?? '' };
      const [vm, vmi] = await Promise.all([
        client.get(VirtualMachines, target, {}, context.signal).catch(absent),
        client.get(VirtualMachineInstances, target, {}, context.signal).catch(absent),
      ]);
      if (vm === undefined) throw notFound(vmSubject(target.name));
      await apply(client, target, decide(vm, vmi, options), options.dryRun);
      return { status: 202 };
    };
  return {
    start: call(startOptions, decideStart),
    stop: call(stopOptions, decideStop),
    restart: call(restartOptions, decideRestart),
  };
}

/** Undefined for an object that is not there; any other failure goes on. */
export function absent(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

/** Once begun, a change is carried through even when the client has gone: half of it would be worse. */
async function apply(
  client: ObjectClient,
  target: { namespace: string; name: string },
  change: StateChange,
  dryRun: boolean,
): Promise<void> {
  const lost = (error: unknown): never => {
    if (isFailedPatchTest(error))
      throw conflict(vmSubject(target.name), 'the object has been modified meanwhile; try again');
    throw error;
  };
  if (change.vmi)
    await client
      .patch(VirtualMachineInstances, target, { type: 'json', body: change.vmi.patch }, { dryRun })
      .catch(lost);
  if (change.vm === undefined) return;
  const { subresource, patch } = change.vm;
  try {
    await client.patch(
      VirtualMachines,
      target,
      { type: 'json', body: patch },
      { dryRun, ...(subresource ? { subresource } : {}) },
    );
  } catch (error) {
    if (change.vmi && !dryRun)
      await client.patch(VirtualMachineInstances, target, { type: 'json', body: change.vmi.undo }).catch(() => {});
    lost(error);
  }
}
