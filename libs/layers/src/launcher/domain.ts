import type { Domain } from '@yagura/contracts';
import type { Sample, SourceState } from '../observation.ts';
import { type LauncherLink, LINK_MAX_AGE, through } from './link.ts';
import { acceleratorWord, outcomeWord, stateWord, toDate } from './words.ts';

/** The domain layer: what libvirt says of the domain, through the launcher. */
export function domainSamples(domain: Domain | undefined, link: LauncherLink): Sample[] {
  return through(link, domain === undefined ? [unseen] : libvirtSamples(domain, link));
}

const unseen: Sample = { layer: 'domain', field: 'state', source: 'libvirt', maxAge: LINK_MAX_AGE, state: 'answering' };

function libvirtSamples(domain: Domain, link: LauncherLink): Sample[] {
  const daemon = domain.libvirt;
  const state: SourceState = daemon?.connected === false ? 'failing' : 'answering';
  const error = state === 'failing' ? (daemon?.lastError ?? 'the libvirt daemon does not answer') : undefined;
  const base = {
    layer: 'domain',
    source: 'libvirt',
    observedAt: toDate(domain.observedAt),
    maxAge: LINK_MAX_AGE,
    state,
  } as const;
  const launcher = { ...base, source: 'virt-launcher', observedAt: link.lastAnswer, state: 'answering' } as const;
  const samples: Sample[] = [
    { ...base, field: 'state', value: stateWord(domain.state), error },
    { ...base, field: 'reason', value: domain.stateReason || null },
    { ...launcher, field: 'since', value: toDate(domain.stateSince)?.toISOString() ?? null },
    { ...launcher, field: 'shutdownRequestedAt', value: toDate(domain.shutdownRequestedAt)?.toISOString() ?? null },
    pauseSample(domain, link),
    { ...sinceEvidence(domain, link), field: 'rebootRequestedAt', value: timeOf(domain.rebootRequestedAt) },
    { ...sinceEvidence(domain, link), field: 'rebootedAt', value: timeOf(domain.rebootedAt) },
    cpuSample(domain),
    { ...base, field: 'accelerator', value: acceleratorWord(domain.accelerator) },
    { ...base, field: 'machine', value: domain.machineType },
    { ...launcher, field: 'qemu.pid', value: domain.qemuPid },
    monitorSample(domain),
    { ...launcher, field: 'libvirt.connected', value: daemon?.connected ?? null, error: daemon?.lastError },
    { ...launcher, field: 'libvirt.losses', value: daemon?.losses ?? null },
    { ...launcher, field: 'libvirt.version', value: daemon?.version },
    ...domain.disks.map(
      (disk): Sample => ({ ...base, field: `disk.${disk.name}`, value: `${disk.target} (${disk.bus})` }),
    ),
    ...domain.ioErrors.map(
      (io): Sample => ({
        ...launcher,
        field: `ioError.${io.volume || io.device}`,
        value: `${io.reason} at ${toDate(io.time)?.toISOString() ?? 'an unknown time'}`,
      }),
    ),
  ];
  if (domain.end !== undefined) {
    const { outcome, message, time } = domain.end;
    samples.push(
      { ...launcher, field: 'end.outcome', value: outcomeWord(outcome) },
      { ...launcher, field: 'end.message', value: message },
      { ...launcher, field: 'end.time', value: toDate(time)?.toISOString() ?? null },
    );
  }
  return samples;
}

const timeOf = (time: Parameters<typeof toDate>[0]) => toDate(time)?.toISOString() ?? null;

/** Whether the pause was asked for; it is not known of a domain whose record was lost. */
function pauseSample(domain: Domain, link: LauncherLink): Sample {
  const sample = { ...sinceEvidence(domain, link), field: 'pauseRequested', value: domain.pauseRequested };
  return domain.pauseRequested === undefined ? { ...sample, observedAt: undefined } : sample;
}

/** Of the launcher's own word; never seen where the launcher is too old to give it. */
function sinceEvidence({ evidence }: Domain, link: LauncherLink) {
  const observedAt = evidence && link.lastAnswer;
  return { layer: 'domain', source: 'virt-launcher', observedAt, maxAge: LINK_MAX_AGE, state: 'answering' } as const;
}

/** CPU time that the guest takes, in seconds a second: it tells a guest that loops from one that stands still. */
function cpuSample({ evidence }: Domain): Sample {
  const cpu = evidence?.cpu;
  return {
    layer: 'domain',
    field: 'cpu.moving',
    value: cpu && Math.round(cpu.secondsPerSecond * 1000) / 1000,
    source: cpu?.wholeProcess ? 'libvirt (all of QEMU)' : 'libvirt',
    observedAt: toDate(cpu?.observedAt),
    maxAge: LINK_MAX_AGE,
    state: 'answering',
  };
}

/** Whether QEMU itself answers: a QEMU that hangs is still running for libvirt. */
function monitorSample({ monitor }: Domain): Sample {
  const silentSince = toDate(monitor?.silentSince);
  return {
    layer: 'domain',
    field: 'qemu.monitor',
    value: silentSince === undefined ? 'answering' : `silent since ${silentSince.toISOString()}`,
    source: 'qemu',
    observedAt: toDate(monitor?.lastAnswer),
    maxAge: LINK_MAX_AGE,
    state: silentSince === undefined ? 'answering' : 'failing',
    error: silentSince === undefined ? undefined : monitor?.lastError,
  };
}
