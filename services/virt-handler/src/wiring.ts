import {
  type ClusterConfig,
  CONTAINER_DISK_HELPER,
  HOTPLUG_LABEL_VALUE,
  type KubeVirt,
  kubevirtConfig,
  LABELS,
  LAUNCHER_LABEL_VALUE,
  type NodeCapabilities,
  type Pod,
  type VirtualMachineInstance,
} from '@yagura/api';
import {
  type Change,
  Controller,
  controllerOf,
  EventRecorder,
  formatKey,
  Informer,
  type KubeClient,
  keyOf,
  type ObjectName,
  parseKey,
} from '@yagura/kube';
import { errorMessage, type Logger } from '@yagura/runtime';
import type { HandlerConfig } from './config.ts';
import { deviceResources } from './devices/catalog.ts';
import { DevicePlugins } from './devices/device-plugins.ts';
import { DeviceAccess } from './disks/device-access.ts';
import { HostMounts } from './disks/host-mounts.ts';
import { HotplugMounts } from './disks/hotplug-mounts.ts';
import { ImageMounts } from './disks/image-mounts.ts';
import { Launchers } from './launcher/launchers.ts';
import { SocketLinks } from './launcher/socket-links.ts';
import { VmiCollector } from './metrics/collector.ts';
import { VmiCounters } from './metrics/counters.ts';
import { LiveNetwork } from './network/live-network.ts';
import { PodNetwork } from './network/pod-network.ts';
import { Heartbeat } from './node/heartbeat.ts';
import { capabilityLabels, obsoleteHostModel } from './node/labels.ts';
import { NodeLease } from './node/lease.ts';
import { LocalGuests } from './node/local-guests.ts';
import { StaleGuests } from './node/stale-guests.ts';
import { LayerReports } from './observe/layer-reports.ts';
import { vmiNameOf } from './pod/launcher-pod.ts';
import { PodPaths } from './pod/paths.ts';
import { ContainerProcesses } from './pod/processes.ts';
import { Sweeper } from './pod/sweeper.ts';
import { FlightRecorder } from './recorder/flight-recorder.ts';
import { objectSamples } from './recorder/object-samples.ts';
import { Spool } from './recorder/spool.ts';
import { alsoTold, domainEvent } from './recorder/told.ts';
import { Writers } from './recorder/writers.ts';
import { type Instance, Instances } from './rest/instances.ts';
import { createRoutes } from './rest/routes.ts';
import { Streams } from './streams/streams.ts';
import { run } from './system/run.ts';
import { VmiEnding } from './vmi/ending.ts';
import { VmiEvents } from './vmi/events.ts';
import { Hotplug } from './vmi/hotplug.ts';
import { LiveSize } from './vmi/live-size.ts';
import { Preparation } from './vmi/preparation.ts';
import { VmiReconciler } from './vmi/reconciler.ts';
import { KubeVirts, LauncherPods, Vmis } from './vmi/resources.ts';
import { VmiStart } from './vmi/start.ts';
import { StatusWriter } from './vmi/status-writer.ts';

/** Where the node has the helper of container disks; a file that containers get mounted. */
export const helperOnHost = (config: HandlerConfig) => `${config.shareDir}/bin/container-disk`;

const WORKERS = 10;
const RECONCILE_TIMEOUT_MS = 60_000;

/** All parts of virt-handler, put together and not yet running. */
export function wire(
  config: HandlerConfig,
  capabilities: NodeCapabilities | undefined,
  client: KubeClient,
  log: Logger,
) {
  const onError = (error: unknown) => log.warn({ reason: errorMessage(error) }, 'watch interrupted');
  const writers = new Writers();
  const vmis = new Informer<VirtualMachineInstance>(client, Vmis, {
    labelSelector: `${LABELS.nodeName}=${config.nodeName}`,
    transform: (vmi) => writers.trim(vmi),
    onError,
  });
  const pods = new Informer<Pod>(client, LauncherPods, {
    fieldSelector: `spec.nodeName=${config.nodeName}`,
    labelSelector: `${LABELS.app}=${LAUNCHER_LABEL_VALUE}`,
    indexers: { vmi: (pod) => vmiKeys(pod) },
    onError,
  });
  const attachments = new Informer<Pod>(client, LauncherPods, {
    fieldSelector: `spec.nodeName=${config.nodeName}`,
    labelSelector: `${LABELS.app}=${HOTPLUG_LABEL_VALUE}`,
    indexers: { launcher: (pod) => [controllerOf(pod)?.uid ?? ''] },
    onError,
  });
  const kubevirts = new Informer<KubeVirt>(client, KubeVirts, { namespace: config.namespace, onError });
  const clusterConfig = resolved(kubevirts);

  const paths = new PodPaths(config.podsDir, config.hostPodsDir);
  const processes = new ContainerProcesses();
  const mounts = new HostMounts(run);
  const images = new ImageMounts(paths, mounts);
  const links = new SocketLinks(config.shareDir);
  const recorder = new EventRecorder(client, { component: 'virt-handler', instance: config.nodeName, log });
  const events = new VmiEvents(alsoTold(recorder, (uid, event) => flight.event(uid, event)));
  const counters = new VmiCounters();

  const launchers = new Launchers({
    paths,
    log,
    onChange: (key) => {
      controller.enqueue(parseKey(key));
      look(key);
    },
    onEvent: (key, event) => {
      const { type, detail } = event;
      counters.event(key, event);
      const vmi = vmis.store.get(key);
      const told = domainEvent(event);
      if (told !== undefined) flight.event(vmi?.metadata.uid ?? '', told);
      if (vmi !== undefined && type === 'guest-agent-ping-failed') events.guestAgentPingFailed(vmi, detail);
    },
  });
  const sweeper = new Sweeper({ pods, launchers, images, links, paths, processes });

  const resources = deviceResources(helperOnHost(config), CONTAINER_DISK_HELPER, helperOnHost(config));
  const plugins = new DevicePlugins(config.devicePluginsDir, resources, log);
  // With emulation or without is the cluster's setting, so until that is read nothing is said.
  const abilities = () =>
    capabilities && kubevirts.hasSynced ? capabilityLabels(capabilities, clusterConfig()) : undefined;
  const staleGuests = new StaleGuests({
    nodeName: config.nodeName,
    client,
    pods,
    guests: new LocalGuests(paths),
    onKilled: ({ podUid }) => events.staleGuestKilled(config.nodeName, podUid),
    log,
  });
  const heartbeat = new Heartbeat({
    client,
    nodeName: config.nodeName,
    periodMs: config.heartbeatPeriodMs,
    beforeReturn: (signal) => staleGuests.ended(signal),
    unable: () => plugins.unregistered(),
    abilities,
    log,
  });
  const lease = new NodeLease({
    client,
    nodeName: config.nodeName,
    namespace: config.namespace,
    identity: config.podName,
    node: () => heartbeat.node,
    log,
  });
  let told = '';
  let obsolete: string | undefined;
  kubevirts.onChange(() => {
    const labels = JSON.stringify(abilities());
    if (labels !== told) heartbeat.beatNow();
    told = labels;
    const model = capabilities && obsoleteHostModel(capabilities, clusterConfig());
    if (model !== undefined && model !== obsolete) events.hostModelIsObsolete(config.nodeName, model);
    obsolete = model;
  });
  const knowsHostModel = () =>
    Object.keys(heartbeat.node?.metadata.labels ?? {}).some((label) => label.startsWith(LABELS.hostModelCpu));

  const writer = new StatusWriter(client, vmis);
  const preparation = new Preparation({ processes, network: new PodNetwork(run), images });
  const hotplug = new Hotplug({
    attachments,
    processes,
    mounts: new HotplugMounts(paths, mounts, new DeviceAccess(run), run),
    config: clusterConfig,
  });
  const reconciler = new VmiReconciler({
    nodeName: config.nodeName,
    client,
    vmis,
    pods,
    launchers,
    processes,
    start: new VmiStart({ paths, links, preparation, hotplug, writer, events, config: clusterConfig }),
    network: new LiveNetwork({ preparation, events, config: clusterConfig }),
    size: new LiveSize(clusterConfig),
    hotplug,
    ending: new VmiEnding({ launchers, writer, events, sweeper }),
    writer,
    events,
    config: clusterConfig,
    knowsHostModel,
  });
  const controller = new Controller({
    name: 'vmi',
    reconcile: async (request, context) => {
      const key = formatKey(request);
      if (vmis.store.get(key) !== undefined) counters.synced(key);
      return reconciler.reconcile(request, context);
    },
    concurrency: WORKERS,
    timeoutMs: RECONCILE_TIMEOUT_MS,
    backoff: { initialMs: 100, maxMs: 30_000 },
    log,
  });

  const onPod = (change: Change<Pod>) => {
    for (const key of vmiKeys(change.object)) {
      controller.enqueue(parseKey(key));
      look(key);
    }
    if (change.type === 'deleted') {
      // An ordinary end leaves no guest behind; one that does is ended before anything else.
      staleGuests
        .end()
        .catch((error: unknown) => log.warn({ reason: errorMessage(error) }, 'stale guests not looked for'));
    }
    if (change.type === 'deleted' || change.object.status?.containerStatuses?.some(({ state }) => state?.terminated)) {
      sweeper.sweep().catch((error: unknown) => log.warn({ reason: errorMessage(error) }, 'sweep failed'));
    }
  };
  vmis.onChange(({ type, object }) => {
    if (type === 'deleted') {
      counters.forget(keyOf(object));
      flight.gone(object);
    } else look(keyOf(object));
    controller.enqueue(nameOf(object));
  });
  pods.onChange(onPod);
  attachments.onChange(({ object }) => {
    const launcher = pods.store.list().find(({ metadata }) => metadata.uid === controllerOf(object)?.uid);
    for (const key of launcher ? vmiKeys(launcher) : []) controller.enqueue(parseKey(key));
  });

  const instances = new Instances({ nodeName: config.nodeName, vmis, pods, launchers });
  const confirmedAt = () => ({ pods: dateOf(pods.lastContact), vmis: dateOf(vmis.lastContact) });
  const reports = new LayerReports({
    nodeName: config.nodeName,
    confirmedAt,
    node: () => ({ heartbeatAt: heartbeat.lastBeatAt, unable: plugins.unregistered() }),
    links: async (pod, timeoutMs) => preparation.links(pod, timeoutMs),
    migratability: (vmi) => reconciler.migratability(vmi),
    newest: (uid, count) => flight.newest(uid, count),
  });
  const flight: FlightRecorder = new FlightRecorder({
    nodeName: config.nodeName,
    spool: new Spool(config.timelineDir),
    instances: () => instances.all(),
    samples: (instance, now) => [
      ...objectSamples(instance.vmi, instance.pod, confirmedAt()),
      ...reports.samples(instance, now),
    ],
    writerOf: (vmi, field) => writers.of(vmi, field),
    log,
  });
  /** Something came that may have changed the instance. */
  const look = (key: string) => {
    const vmi = vmis.store.get(key);
    if (vmi !== undefined) flight.look(instances.of(vmi));
  };
  const collector = new VmiCollector({
    nodeName: config.nodeName,
    instances,
    samples: (instance, now) => reports.samples(instance, now),
    balloonPeriodSeconds: () => clusterConfig().memBalloonStatsPeriod,
    log,
  });
  const streams = new Streams({ instances, paths });
  const moveCursor = async (instance: Instance) => streams.moveCursor(instance);
  const routes = createRoutes({ instances, events, reports, timelines: flight, moveCursor });
  return {
    vmis,
    pods,
    attachments,
    kubevirts,
    plugins,
    heartbeat,
    lease,
    staleGuests,
    controller,
    launchers,
    sweeper,
    recorder,
    flight,
    instances,
    collector,
    counters,
    routes,
    streams,
  };
}

/** The cluster's configuration, worked out again only after the object has changed. */
function resolved(kubevirts: Informer<KubeVirt>): () => ClusterConfig {
  let cached: ClusterConfig | undefined;
  kubevirts.onChange(() => {
    cached = undefined;
  });
  return () => {
    cached ??= kubevirtConfig(kubevirts.store.list()[0]);
    return cached;
  };
}

function vmiKeys(pod: Pod): string[] {
  const name = vmiNameOf(pod);
  return name === undefined ? [] : [formatKey({ namespace: pod.metadata.namespace ?? '', name })];
}

function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}

function nameOf(vmi: VirtualMachineInstance): ObjectName {
  return parseKey(keyOf(vmi));
}
