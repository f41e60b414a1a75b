// The domain: libvirt, QEMU, and why a guest stands still.
import type { Facts } from '../diagnosis/facts.ts';
import type { Rule } from '../diagnosis/types.ts';
import { launcherLog, seconds, target } from './words.ts';

/** What libvirt calls an I/O error, in its own and in our spelling. */
const IO_ERROR = ['io-error', 'ioerror', 'I/O error'];
/** Pauses of a moment, by libvirt itself. */
const PASSING = ['migration', 'postcopy', 'save', 'dump', 'snapshot', 'from-snapshot', 'starting-up', 'shutting-down'];
/** From the pause to the condition that tells of it. */
const SETTLE_SECONDS = 5;
const PASSING_SECONDS = 120;

const pausedFor = (facts: Facts) =>
  facts.is('domain/state', 'paused') ? (facts.text('domain/reason') ?? '') : undefined;
const sinceOf = (facts: Facts) => facts.text('domain/since');
const virsh = (facts: Facts, command: string) =>
  `kubectl -n ${facts.subject.namespace} exec ${facts.pods?.[0]?.name ?? '<launcher pod>'} -c compute -- virsh ${command}`;

export const libvirtSilent: Rule = {
  name: 'libvirt-silent',
  layer: 'domain',
  status: 'degraded',
  holds: (facts) => {
    if (!facts.is('domain/libvirt.connected', false) || facts.stopping) return undefined;
    const error = facts.seen('domain/libvirt.connected')?.error ?? facts.failure('domain/state');
    return {
      because: [
        `the launcher answers, its libvirt daemon does not${error ? `: ${error}` : ''}`,
        'QEMU and its guest run on; their state is of before',
      ],
      next: [
        'a daemon that ended is started anew within seconds; one that hangs is to be ended: kill it inside the pod',
        launcherLog(facts),
      ],
      since: facts.seen('domain/state')?.observedAt ?? undefined,
    };
  },
};

export const qemuHung: Rule = {
  name: 'qemu-hung',
  layer: 'domain',
  status: 'broken',
  holds: (facts) => {
    const monitor = facts.seen('domain/qemu.monitor');
    const silent = /^silent since (.*)$/.exec(typeof monitor?.value === 'string' ? monitor.value : '');
    // What a launcher that does not answer said of it is old.
    if (silent === null || !facts.is('node/launcher.channel', 'answering')) return undefined;
    // A daemon that does not answer either says nothing of QEMU.
    if (facts.is('domain/libvirt.connected', false)) return undefined;
    return {
      because: [
        `QEMU does not answer libvirt since ${silent[1]}${monitor?.error ? `: ${monitor.error}` : ''}`,
        'libvirt calls a QEMU that hangs running',
      ],
      next: [
        `look at the process: ${virsh(facts, 'list')}; its state in /proc/PID/status (T: stopped, D: waits for storage)`,
        `yagura restart ${target(facts)} --force`,
      ],
      since: silent[1],
    };
  },
};

export const ioErrorPause: Rule = {
  name: 'paused-by-io-error',
  layer: 'domain',
  status: 'broken',
  holds: (facts) => {
    const reason = pausedFor(facts);
    const condition = facts.condition('vmi', 'Paused');
    const told = condition?.status === 'True' && condition.is('PausedIOError');
    if (reason === undefined ? !told || facts.live('domain/state') !== undefined : !IO_ERROR.includes(reason))
      return undefined;
    const volumes = facts
      .matching('domain', /^ioError\.(.*)$/)
      .map(({ key, observation }) => `volume ${key}: ${String(observation.value)}`);
    return {
      because: ['QEMU has stopped the guest because its storage failed', ...volumes, ...(told ? [condition.text] : [])],
      next: ['make room on, or repair, the storage behind the volume', `then: yagura unpause ${target(facts)}`],
      since: sinceOf(facts) ?? condition?.since,
    };
  },
};

export const watchdogPause: Rule = {
  name: 'paused-by-watchdog',
  layer: 'guest',
  status: 'broken',
  holds: (facts) =>
    pausedFor(facts) === 'watchdog'
      ? {
          because: ['the guest no longer fed its watchdog, which has paused it'],
          next: [`yagura vnc ${target(facts)}`, `yagura restart ${target(facts)}`],
          since: sinceOf(facts),
        }
      : undefined,
};

export const otherPause: Rule = {
  name: 'paused-by-libvirt',
  layer: 'domain',
  status: 'broken',
  holds: (facts) => {
    const reason = pausedFor(facts);
    if (reason === undefined || reason === 'user' || reason === 'watchdog' || reason === 'crashed') return undefined;
    if (IO_ERROR.includes(reason) || facts.stopping) return undefined;
    if (PASSING.includes(reason) && !facts.lasts(sinceOf(facts), PASSING_SECONDS)) return undefined;
    if (!PASSING.includes(reason) && !['api-error', 'postcopy-failed'].includes(reason)) return undefined;
    return {
      because: [`libvirt keeps the domain paused for ${seconds(facts, sinceOf(facts))}; its reason: ${reason}`],
      next: [launcherLog(facts), `yagura unpause ${target(facts)}`],
      since: sinceOf(facts),
    };
  },
};

export const pausedBehindKubernetes: Rule = {
  name: 'paused-behind-kubernetes',
  layer: 'domain',
  status: 'degraded',
  contradiction: true,
  holds: (facts) => {
    if (pausedFor(facts) !== 'user' || facts.stopping || facts.is('domain/pauseRequested', true)) return undefined;
    const untold = facts.is('kubernetes/vmi.paused', false) && facts.lasts(sinceOf(facts), SETTLE_SECONDS);
    if (!untold && !facts.is('domain/pauseRequested', false)) return undefined;
    return {
      because: [
        'the domain is paused by somebody who speaks to libvirt, not through Kubernetes',
        `phase ${facts.phase ?? 'unknown'}${untold ? ', and no Paused condition' : ''}`,
      ],
      next: [`yagura unpause ${target(facts)}`, 'see who runs virsh in the launcher pod'],
      since: sinceOf(facts),
    };
  },
};

export const pauseShownOnly: Rule = {
  name: 'paused-shown-guest-runs',
  layer: 'kubernetes',
  status: 'degraded',
  contradiction: true,
  holds: (facts) => {
    if (!facts.is('kubernetes/vmi.paused', true) || !facts.domainRuns) return undefined;
    if (!facts.lasts(sinceOf(facts), SETTLE_SECONDS)) return undefined;
    return {
      because: ['the object says Paused, and the domain runs'],
      next: ['virt-handler follows within seconds; if it does not, see whether it can write to the API server'],
      since: sinceOf(facts),
    };
  },
};

export const phaseBehindDomain: Rule = {
  name: 'phase-behind-domain',
  layer: 'kubernetes',
  status: 'degraded',
  contradiction: true,
  holds: (facts) => {
    if (facts.phase !== 'Scheduled' || !facts.domainRuns || !facts.lasts(sinceOf(facts), 30)) return undefined;
    return {
      because: [`the domain runs for ${seconds(facts, sinceOf(facts))}, and the phase is still Scheduled`],
      next: ['see whether virt-handler can write to the API server'],
      since: sinceOf(facts),
    };
  },
};

export const domainMissing: Rule = {
  name: 'running-without-domain',
  layer: 'domain',
  status: 'broken',
  contradiction: true,
  holds: (facts) => {
    if (facts.phase !== 'Running' || !facts.wanted || !facts.is('domain/state', 'absent')) return undefined;
    if (facts.live('domain/end.outcome') !== undefined || !facts.lasts(sinceOf(facts), SETTLE_SECONDS))
      return undefined;
    return {
      because: ['the instance is called Running, and libvirt has no domain'],
      next: [launcherLog(facts), `yagura restart ${target(facts)}`],
      since: sinceOf(facts),
    };
  },
};

export const guestSuspended: Rule = {
  name: 'guest-suspended',
  layer: 'guest',
  status: 'degraded',
  holds: (facts) =>
    facts.is('domain/state', 'pm suspended')
      ? {
          because: ['the guest has suspended itself to memory'],
          next: ['wake it, e.g. by a key in its console', `yagura vnc ${target(facts)}`],
          since: sinceOf(facts),
        }
      : undefined,
};
