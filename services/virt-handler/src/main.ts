import { KubeClient } from '@yagura/kube';
import { errorMessage, type Logger, runMain, sleep } from '@yagura/runtime';
import { Health } from '@yagura/runtime/health';
import { CLOSE } from '@yagura/streams';
import type { CertificateSource } from './certs/certificates.ts';
import { ClusterCertificates } from './certs/cluster-certificates.ts';
import { directoryCertificates } from './certs/directory-certificates.ts';
import { type HandlerConfig, readConfig } from './config.ts';
import { installHelper } from './devices/install-helper.ts';
import { registerMetrics } from './metrics/registry.ts';
import { readNodeCapabilities } from './node/capabilities-file.ts';
import { startOps } from './ops.ts';
import { startLocalServer } from './rest/local-server.ts';
import { startRestServer, swapCertificates } from './rest/rest-server.ts';
import { Tasks } from './system/tasks.ts';
import { helperOnHost, wire } from './wiring.ts';

/** What is left of pods that ended unseen is looked for so often, besides at every end that is seen. */
const SWEEP_MS = 60_000;
/** Together well within the grace that the kubelet gives a pod, 30 s. */
const STOP_MS = 10_000;
const FLUSH_MS = 5_000;

await runMain('virt-handler', async ({ log, signal }) => {
  const config = readConfig(process.env, process.argv.slice(2));
  await installHelper(config.containerDiskHelper, helperOnHost(config));
  const client = await KubeClient.load({ userAgent: 'virt-handler' });
  const capabilities = await readNodeCapabilities(config.capabilitiesDir, log);
  const parts = wire(config, capabilities, client, log);
  const { vmis, pods, attachments, kubevirts, plugins, heartbeat, lease, controller, sweeper, staleGuests } = parts;
  const informers = [vmis, pods, attachments, kubevirts];
  const certificates = await certificateSource(config, client, log);

  const ready = new Health();
  ready.add('caches', () => (informers.every(({ hasSynced }) => hasSynced) ? undefined : 'not synced yet'));
  ready.add('device-plugins', () => plugins.unregistered());
  ready.add('certificates', () => (certificates.current() ? undefined : 'not there yet'));

  const tasks = new Tasks();
  for (const informer of informers) tasks.add(`watch of ${informer.resource.plural}`, informer.run(signal));
  tasks.add('certificates', certificates.run(signal));
  tasks.add(
    'device plugins',
    plugins.run(signal, () => heartbeat.beatNow()),
  );
  tasks.add('heartbeat', heartbeat.run(signal));
  tasks.add('lease', lease.run(signal));
  tasks.add('servers', serve(config, certificates, parts, ready, log, signal));
  await Promise.all(informers.map(async (informer) => informer.synced(signal)));
  await staleGuests.ended(signal);
  tasks.add('instances', controller.run(signal));
  tasks.add('recorder', parts.flight.run(signal));
  tasks.add('sweeps', sweepLoop(staleGuests, sweeper, log, signal));
  log.info({ node: config.nodeName }, 'virt-handler is up');
  await tasks.ended(signal, STOP_MS, log);
  parts.launchers.close();
  await Promise.race([Promise.all([parts.recorder.flush(), parts.flight.close()]), sleep(FLUSH_MS)]);
});

async function certificateSource(config: HandlerConfig, client: KubeClient, log: Logger): Promise<CertificateSource> {
  if (config.certsFromDir !== undefined) return directoryCertificates(config.certsFromDir);
  return new ClusterCertificates(client, config.namespace, (error) =>
    log.warn({ reason: errorMessage(error) }, 'certificates cannot be watched'),
  );
}

/** The operations endpoint at once; the REST routes as soon as there are certificates to tell clients apart by. */
async function serve(
  config: HandlerConfig,
  certificates: CertificateSource,
  parts: ReturnType<typeof wire>,
  ready: Health,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const registry = await startOps({ port: config.opsPort, certificates, ready, log, signal });
  registerMetrics(registry, parts.collector, parts.counters, {
    version: config.version,
    ready: () => ready.failures().length === 0,
  });
  await serveLocally(config, parts, log, signal);
  while (certificates.current() === undefined && !signal.aborted) await sleep(200, signal);
  const current = certificates.current();
  if (current === undefined) return;
  const server = await startRestServer({
    port: config.restPort,
    certificates: current,
    handle: parts.routes,
    upgrade: async (request, socket, head) => parts.streams.upgrade(request, socket, head),
    log,
  });
  certificates.onChange((next) => swapCertificates(server, next));
  const stop = (): void => {
    server.close();
    const reason = `virt-handler on node ${config.nodeName} stops; the guest runs on, connect again`;
    parts.streams.closeAll({ code: CLOSE.goingAway, reason });
  };
  signal.addEventListener('abort', stop, { once: true });
  log.info({ port: config.restPort }, 'REST is up');
}

/** For a command in this container. Guests do not need it, so that it fails is no reason to end. */
async function serveLocally(
  { localSocket: socket }: HandlerConfig,
  { routes: handle }: ReturnType<typeof wire>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  try {
    const server = await startLocalServer({ socket, handle, log });
    signal.addEventListener('abort', () => server.close(), { once: true });
  } catch (error) {
    log.warn({ socket, reason: errorMessage(error) }, 'no socket for yagura-node');
  }
}

async function sweepLoop(
  staleGuests: { end: () => Promise<void> },
  sweeper: { sweep: () => Promise<void> },
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const failed = (error: unknown) => log.warn({ reason: errorMessage(error) }, 'sweep failed');
  while (!signal.aborted) {
    await staleGuests.end().catch(failed);
    await sweeper.sweep().catch(failed);
    await sleep(SWEEP_MS, signal);
  }
}
