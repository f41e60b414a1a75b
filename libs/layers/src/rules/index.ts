import type { Rule } from '../diagnosis/types.ts';
import * as domain from './domain.ts';
import { endRules, runFailed } from './ends.ts';
import * as guest from './guest.ts';
import * as launcher from './launcher.ts';
import * as migration from './migration.ts';
import * as network from './network.ts';
import * as node from './node.ts';
import { ordinaryRules } from './ordinary.ts';
import * as start from './start.ts';

/** The operator's questions, in their order; in each, a cause stands before what follows from it. */
export const questions: { question: string; rules: Rule[] }[] = [
  {
    question: 'Who watches',
    rules: [
      node.virtApiSilent,
      node.controllerSilent,
      node.nodeLost,
      node.kubeletSilent,
      node.handlerDead,
      node.handlerNoAnswer,
      node.apiServerUnreachable,
      node.clockSkew,
      node.nodePressure,
    ],
  },
  {
    question: 'It does not start',
    rules: [
      start.startRefused,
      start.claimMissing,
      start.dataVolumeFailed,
      start.unschedulable,
      start.claimUnbound,
      start.imageMissing,
      start.containerStuck,
      ...endRules.filter(({ name }) => name === 'domain-start-failed'),
      start.specNotApplied,
      start.startTakesLong,
    ],
  },
  {
    question: 'It has ended, or stands still',
    rules: [
      launcher.podDeleted,
      launcher.noLauncherPod,
      launcher.twoLaunchers,
      guest.guestPanicked,
      ...endRules.filter(({ name }) => name !== 'domain-start-failed'),
      runFailed,
      start.crashLoop,
      launcher.launcherGone,
      launcher.launcherSilent,
      launcher.launcherUnseen,
      domain.libvirtSilent,
      domain.qemuHung,
      domain.ioErrorPause,
      domain.watchdogPause,
      domain.otherPause,
      domain.pausedBehindKubernetes,
      domain.pauseShownOnly,
      domain.domainMissing,
      domain.phaseBehindDomain,
      domain.guestSuspended,
      launcher.stopTakesLong,
    ],
  },
  {
    question: 'Network or boot is odd',
    rules: [
      guest.guestHung,
      guest.agentCommandHangs,
      guest.agentStopped,
      guest.agentSilent,
      guest.agentDisconnected,
      guest.agentShownSilent,
      guest.agentCommandMissing,
      guest.agentCommandFails,
      network.guestWithoutAddress,
      network.addressNotShown,
      network.addressNotInGuest,
      launcher.notReady,
    ],
  },
  {
    question: 'Migration is in trouble',
    rules: [migration.targetOnSource, migration.migrationStalled, migration.migrationFailed],
  },
  {
    question: 'Worth knowing',
    rules: [
      guest.noAgent,
      guest.frozen,
      network.guestOnlyAddress,
      network.sharedMac,
      network.linkDown,
      migration.notMigratable,
      node.takesNoGuests,
      guest.emulated,
    ],
  },
  { question: 'Nothing is wrong', rules: ordinaryRules },
];

export const rules: readonly Rule[] = questions.flatMap((group) => group.rules);
