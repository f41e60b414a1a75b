import { randomUUID } from 'node:crypto';
import {
  type Clock,
  Controller,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ReconcileOutcome,
} from '@yagura/kube';
import type { Caches } from './caches.ts';
import { CertificateController } from './certificates/certificate-controller.ts';
import { InstallationController } from './installation/installation-controller.ts';
import { NodeController } from './nodes/node-controller.ts';
import type { Settings } from './settings.ts';
import { VmController } from './vm/vm-controller.ts';
import { VmiController } from './vmi/vmi-controller.ts';
import { connect, revisitNode } from './wiring.ts';

export const CONTROLLER_NAMES = ['vm', 'vmi', 'node', 'installation', 'certificates'] as const;

export interface ControllersOptions {
  client: KubeClient;
  caches: Caches;
  events: EventRecorder;
  settings: Settings;
  clock: Clock;
  log: Logger;
  onOutcome: (controller: string, outcome: ReconcileOutcome, seconds: number) => void;
}

/** All controllers, connected to the caches; they work once they are run. */
export function createControllers(options: ControllersOptions): readonly Controller[] {
  const { client, caches, events, settings, clock, log, onOutcome } = options;
  const common = { clock, log, onOutcome };
  const world = { client, caches, events, clock };
  const vmLogic = new VmController({ ...world, random: Math.random, uuid: randomUUID });
  const vmiLogic = new VmiController({
    ...world,
    launcherImage: settings.launcherImage,
    heartbeatTimeoutMs: settings.heartbeatTimeoutMs,
    uuid: randomUUID,
  });
  const vms = new Controller({
    ...common,
    name: 'vm',
    concurrency: 4,
    reconcile: (name, run) => vmLogic.reconcile(name, run),
  });
  const vmis = new Controller({
    ...common,
    name: 'vmi',
    concurrency: 10,
    reconcile: (name, run) => vmiLogic.reconcile(name, run),
  });
  const { heartbeatTimeoutMs } = settings;
  const nodeLogic = new NodeController({
    ...world,
    heartbeatTimeoutMs,
    revisit: (node) => revisitNode(caches, vmis, node),
  });
  const nodes = new Controller({ ...common, name: 'node', reconcile: (name, run) => nodeLogic.reconcile(name, run) });
  const installationLogic = new InstallationController({ ...world, version: settings.version });
  const installation = new Controller({
    ...common,
    name: 'installation',
    reconcile: (name, run) => installationLogic.reconcile(name, run),
  });
  const certificateLogic = new CertificateController({ client, namespace: settings.namespace, clock, log });
  const certificates = new Controller({
    ...common,
    name: 'certificates',
    reconcile: (_name, { signal }) => certificateLogic.reconcile(signal),
  });
  connect(caches, { vms, vmis, nodes, installation });
  certificates.enqueue({ namespace: settings.namespace, name: 'certificates' });
  return [vms, vmis, nodes, installation, certificates];
}
