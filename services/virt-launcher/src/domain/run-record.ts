import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { LauncherOutcome } from '@yagura/api';

export type Outcome = Exclude<LauncherOutcome, 'no-domain'>;

/** What ended a domain. Times are ISO 8601. */
export interface End {
  time: string;
  outcome: Outcome;
  message: string;
  /** It came after the kubelet had told the pod to end. */
  podTerminating?: true;
}

/** What a restarted launcher must know of its domain and cannot read from libvirt. */
export interface RunRecord {
  uid: string;
  name: string;
  /** When the domain was first seen running; absent: it never was. */
  startedAt?: string;
  /** What libvirt said last of the domain, and since when it does. */
  state?: { state: string; reason: string; since: string };
  /** The guest agent's channel was open at some time. */
  agentSeen?: true;
  shutdownRequestedAt?: string;
  /** Probes through the guest agent succeed without asking it. */
  probesSuspended?: boolean;
  /** When the guest's file systems have to be thawed; absent: they are not, or nobody wants it. */
  thawAt?: string | undefined;
  /** Set while the guest's clock has to be set, until then. */
  clockSyncUntil?: string | undefined;
  /** Set while CPUs that were plugged in may have to be switched on in the guest, until then. */
  onlineCpus?: { count: number; until: string } | undefined;
  /** Set while memory that was plugged in may have to be switched on in the guest, until then. */
  onlineMemory?: { bytes: number; until: string } | undefined;
  /** Why the launcher itself ended the domain. */
  killReason?: string;
  /** When the guest's kernel panicked, which ends the domain. */
  panickedAt?: string;
  /** Whether the pause that lasts, or the next one, was asked for by a call; absent: nobody knows. False while it runs. */
  pauseRequested?: boolean;
  /** When a reboot was last asked for, and when the machine was last seen to be reset. */
  rebootRequestedAt?: string | undefined;
  rebootedAt?: string;
  /** Where in the log of the serial console the run of the guest since then begins; absent: at its beginning. */
  serialFrom?: number | undefined;
  /** The command that the guest agent has not come back from, and when it was asked. */
  agentHangs?: { command: string; since: string } | undefined;
  /** The libvirt daemon that last saw the domain running, as pid@start. */
  daemon?: string;
  end?: End;
}

/** Keeps the record in a small file, written whole at each change. */
export class RunRecordFile {
  readonly #path: string;
  #record: RunRecord | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#record = read(path);
  }

  get record(): RunRecord | undefined {
    return this.#record;
  }

  /** Begins the record of a domain, unless it is the one that is there. */
  begin(uid: string, name: string): void {
    if (this.#record?.uid !== uid) this.#write({ uid, name });
  }

  /** Adds to the record; does nothing when there is none, or when nothing changes. */
  note(change: Partial<Omit<RunRecord, 'uid' | 'name'>>): void {
    const record = this.#record;
    if (record === undefined) return;
    const next = { ...record, ...change };
    if (JSON.stringify(next) !== JSON.stringify(record)) this.#write(next);
  }

  #write(record: RunRecord): void {
    this.#record = record;
    writeFileSync(`${this.#path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o640 });
    renameSync(`${this.#path}.new`, this.#path);
  }
}

function read(path: string): RunRecord | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunRecord;
  } catch {
    // Not there before the first domain; a damaged one cannot be, because of the rename.
    return undefined;
  }
}
