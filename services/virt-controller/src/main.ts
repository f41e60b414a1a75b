import { EventRecorder, KubeClient, LeaderElector, leaseAccess, systemClock } from '@yagura/kube';
import { errorMessage, runMain } from '@yagura/runtime';
import { Health } from '@yagura/runtime/health';
import { Caches } from './caches.ts';
import { CONTROLLER_NAMES, createControllers } from './controllers.ts';
import { registerObjectMetrics } from './metrics/objects.ts';
import { createMetrics } from './metrics/registry.ts';
import { serveOps } from './serve.ts';
import { readSettings } from './settings.ts';

const LEASE = 'virt-controller';

await runMain('virt-controller', async ({ log, signal }) => {
  const settings = readSettings(process.env);
  const client = await KubeClient.load({ userAgent: 'virt-controller' });
  const caches = new Caches(client, settings.namespace, (error) =>
    log.warn({ error: errorMessage(error) }, 'a watch was interrupted'),
  );
  const events = new EventRecorder(client, { component: 'virt-controller', instance: settings.identity, log });
  const elector = new LeaderElector(leaseAccess(client, settings.namespace, LEASE), {
    identity: settings.identity,
    log,
  });
  const metrics = createMetrics(CONTROLLER_NAMES, {
    leading: () => elector.isLeader,
    ready: () => caches.hasSynced,
    droppedEvents: () => events.dropped,
  });
  registerObjectMetrics(metrics.registry, caches, () => elector.isLeader, log);
  const controllers = createControllers({
    client,
    caches,
    events,
    settings,
    clock: systemClock,
    log,
    onOutcome: metrics.observe,
  });

  const ready = new Health();
  ready.add('caches', () => (caches.hasSynced ? undefined : 'not listed yet'));
  const ops = {
    health: new Health(),
    ready,
    registry: metrics.registry,
    json: { '/leader': () => ({ identity: settings.identity, leader: elector.isLeader }) },
  };
  const serving = serveOps({ client, namespace: settings.namespace, port: settings.port, ops, log }, signal);
  const reflecting = Promise.all(caches.all.map((informer) => informer.run(signal)));
  await Promise.all(caches.all.map((informer) => informer.synced(signal)));

  log.info({ identity: settings.identity, server: client.access.server }, 'waiting to lead');
  const outcome = await elector.run(async (leading) => {
    log.info({ identity: settings.identity }, 'leading');
    await Promise.all(controllers.map((controller) => controller.run(leading)));
    await events.flush();
  }, signal);
  // What is still under way belongs to the next leader: only a new process starts clean.
  if (outcome === 'lost') throw new Error('leadership lost');
  await Promise.all([serving, reflecting]);
});
