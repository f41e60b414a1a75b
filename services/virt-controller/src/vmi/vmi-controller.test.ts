import type { VirtualMachineInstance } from '@yagura/api';
import { type EventRecorder, silentLogger } from '@yagura/kube';
import { FakeClock } from '@yagura/kube/testing';
import { Caches } from '../caches.ts';
import { ApiServer } from '../testing/api-server.ts';
import { vmiOf } from '../testing/objects.ts';
import { VmiController } from './vmi-controller.ts';

test('an instance that goes while its pod is missed leaves nothing behind in memory', async () => {
  const server = new ApiServer();
  const caches = new Caches(server.client, 'yagura', () => {});
  const events = { normal: () => {}, warning: () => {} } as unknown as EventRecorder;
  const controller = new VmiController({
    client: server.client,
    caches,
    events,
    launcherImage: 'launcher:1',
    heartbeatTimeoutMs: 300_000,
    clock: new FakeClock(),
    uuid: () => 'uuid',
  });
  const pass = async () => {
    caches.vmis.store.replace(server.all<VirtualMachineInstance>('virtualmachineinstances'));
    const context = { log: silentLogger, signal: new AbortController().signal, failures: 0 };
    return controller.reconcile({ namespace: 'n', name: 'demo' }, context);
  };
  server.put('virtualmachineinstances', vmiOf('Running'));
  await pass();
  expect(controller.missed).toBe(1);
  server.remove('virtualmachineinstances', { namespace: 'n', name: 'demo' });
  await pass();
  expect(controller.missed).toBe(0);
});
