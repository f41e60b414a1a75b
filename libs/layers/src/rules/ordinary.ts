// Nothing is wrong: which ordinary state that is, and on whose word. Each needs proof; the lack of trouble is none.
import { type Facts, NO_INSTANCE } from '../diagnosis/facts.ts';
import type { Evidence, Rule } from '../diagnosis/types.ts';
import { restarting } from './guest.ts';
import { seconds } from './words.ts';

const ordinary = (name: string, layer: Rule['layer'], holds: (facts: Facts) => Evidence | undefined): Rule => ({
  name,
  layer,
  status: 'healthy',
  holds,
});

const noInstance = (facts: Facts) => facts.phase === NO_INSTANCE;

export const ordinaryRules: Rule[] = [
  ordinary('stopping', 'kubernetes', (facts) =>
    facts.stopping && !['Succeeded', 'Failed'].includes(facts.phase ?? '')
      ? { because: ['the guest is being stopped'], since: facts.text('kubernetes/vmi.deletionTimestamp') }
      : undefined,
  ),
  ordinary('starting', 'kubernetes', (facts) => {
    const begun = facts.is('kubernetes/vmi.phase', '', 'Pending', 'Scheduling', 'Scheduled');
    const waits = ['Starting', 'Provisioning', 'WaitingForVolumeBinding'];
    if (!begun && !(noInstance(facts) && facts.is('kubernetes/vm.printableStatus', ...waits))) return undefined;
    const phase = begun ? facts.phase : facts.text('kubernetes/vm.printableStatus');
    return { because: [`phase ${phase || 'not set yet'}`], since: facts.since('kubernetes/vmi.phase') };
  }),
  ordinary('stopped', 'kubernetes', (facts) => {
    if (noInstance(facts) && facts.is('kubernetes/vm.printableStatus', 'Stopped', 'Stopping', 'Terminating')) {
      const strategy = facts.text('kubernetes/vm.runStrategy');
      return { because: [`the machine is off${strategy ? `; its run strategy is ${strategy}` : ''}`] };
    }
    const over =
      facts.phase === 'Succeeded' ||
      (facts.phase === 'Failed' && (facts.stopping || facts.is('kubernetes/vmi.reason', 'Deleted')));
    return over ? { because: ['the run is over'], since: facts.since('kubernetes/vmi.phase') } : undefined;
  }),
  ordinary('paused-by-user', 'domain', (facts) =>
    facts.phase === 'Running' && facts.is('domain/state', 'paused') && facts.is('domain/reason', 'user')
      ? { because: ['the guest is paused because somebody asked for it'], since: facts.text('domain/since') }
      : undefined,
  ),
  ordinary('pausing', 'domain', (facts) =>
    facts.phase === 'Running' && facts.is('domain/state', 'paused')
      ? {
          because: [`libvirt holds the guest for a moment: ${facts.text('domain/reason') ?? 'it does not say why'}`],
          since: facts.text('domain/since'),
        }
      : undefined,
  ),
  ordinary('ended', 'domain', (facts) =>
    facts.phase === 'Running' && facts.is('domain/end.outcome', 'shutdown', 'destroyed', 'migrated')
      ? { because: [facts.text('domain/end.message') ?? 'the guest has ended'], since: facts.text('domain/end.time') }
      : undefined,
  ),
  ordinary('migrating', 'migration', (facts) =>
    facts.phase === 'Running' && facts.is('migration/state', 'running') && facts.is('domain/state', 'running', 'paused')
      ? {
          because: [
            `the guest moves from ${facts.text('migration/sourceNode') ?? '?'} to ${facts.text('migration/targetNode') ?? '?'}`,
          ],
          since: facts.since('migration/state'),
        }
      : undefined,
  ),
  ordinary('restarting', 'guest', (facts) => {
    const sign = facts.phase === 'Running' ? restarting(facts) : undefined;
    if (sign === undefined || !facts.is('domain/qemu.monitor', 'answering')) return undefined;
    return { because: ['the guest agent has closed its channel', sign.because], since: sign.since };
  }),
  ordinary('running', 'domain', (facts) => {
    if (facts.phase !== 'Running' || !facts.domainRuns || !facts.is('node/launcher.channel', 'answering'))
      return undefined;
    if (!facts.is('domain/qemu.monitor', 'answering')) return undefined;
    const since = facts.text('domain/since');
    const agent = facts.live('guest/agent.lastSuccess') === undefined ? '' : ', its agent answers';
    return { because: [`the guest runs for ${seconds(facts, since)}${agent}`], since };
  }),
];

/** The verdict when nothing else is. */
export const unknown: Rule = {
  name: 'not-enough-known',
  layer: 'kubernetes',
  status: 'unknown',
  holds: (facts) => {
    const wanted = [
      'kubernetes/vmi.phase',
      'kubernetes/vmi.deletionTimestamp',
      'node/virt-handler',
      'node/launcher.channel',
      'domain/state',
      'domain/shutdownRequestedAt',
      ...(facts.domainRuns ? (['domain/qemu.monitor'] as const) : []),
    ] as const;
    const because = wanted.flatMap((path) => {
      const observation = facts.seen(path);
      if (observation?.freshness === 'live') return [];
      const how = observation === undefined ? 'not observed' : observation.freshness;
      return [`${path.replace('/', ' ')}: ${how}${observation?.error ? ` (${observation.error})` : ''}`];
    });
    return {
      because: because.length > 0 ? because : ['what is observed fits no state that is known'],
      next: [`yagura layers ${facts.subject.namespace}/${facts.subject.name}`],
    };
  },
};
