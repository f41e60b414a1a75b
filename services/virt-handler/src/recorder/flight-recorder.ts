import type { VirtualMachineInstance } from '@yagura/api';
import { observe, type Sample } from '@yagura/layers';
import {
  newestFirst,
  type RecordedEvent,
  RunRecord,
  type RunSummary,
  type Timeline,
  type TimelineEntry,
  toForget,
} from '@yagura/layers/timeline';
import { errorMessage, type Logger, sleep } from '@yagura/runtime';
import type { Instance } from '../rest/instances.ts';
import type { RunName, Spool } from './spool.ts';

/** Changes of so long are written together. */
const WRITE_MS = 1_000;
/** What goes stale with time is told by nobody: it is looked for so often, in memory. */
const LOOK_MS = 5_000;
const FORGET_MS = 600_000;
/** After a write that failed. */
const RETRY_MS = 30_000;
/** Bytes of a run on the node; then what has been dropped or renewed since is left out. */
const REWRITE_BYTES = 256 * 1024;
/** Events that are kept until a disk has answered. */
const WAITING = 500;
/** What was being written for so long is not written any more. */
const LEFT_MS = 3_600_000;
/** No other file can be written either. */
const FOR_ALL = ['ENOSPC', 'EROFS'];

export interface FlightRecorderParts {
  nodeName: string;
  spool: Spool;
  /** The instances of this node. */
  instances: () => Instance[];
  /** What all layers say as far as this process knows, without asking anybody. */
  samples: (instance: Instance, now: Date) => Sample[];
  /** The field manager that wrote a field of an instance last. */
  writerOf: (vmi: VirtualMachineInstance, field: string) => string | undefined;
  log: Pick<Logger, 'info' | 'warn'>;
  now?: () => number;
}

/** A run that is being recorded. */
interface Recording extends RunName {
  /** Undefined until what was written down before has been read. */
  record: RunRecord | undefined;
  /** What came before that. */
  waiting: ((record: RunRecord) => void)[];
  /** Bytes on the node. */
  bytes: number;
  /** What is on the node is to be replaced as a whole. */
  rewrite: boolean;
  /** What is on the node could not be read yet, and must stay. */
  unread: boolean;
  /** What is on the node is not understood: it is set aside before anything is written. */
  aside: boolean;
  /** After a failure of its file. */
  retryAt: number;
}

/**
 * Records what changes about each instance of this node: looks at what this process knows whenever something has come, asks
 * nobody, and keeps it on the node beyond its own end and the instance's. What cannot be written costs the recording only.
 */
export class FlightRecorder {
  readonly #parts: Required<FlightRecorderParts>;
  readonly #runs = new Map<string, Recording>();
  /** Of instances that have gone, until all of it is written. */
  readonly #ended = new Set<Recording>();
  readonly #lastDone = new Map<string, number>();
  /** UIDs of instances whose look threw, which was told. */
  readonly #unlooked = new Set<string>();
  #inTrouble = false;

  constructor(parts: FlightRecorderParts) {
    this.#parts = { now: Date.now, ...parts };
  }

  /** Something about the instance may have changed. Never throws: whoever calls has more to do than to be recorded. */
  look(instance: Instance): void {
    try {
      const { record } = this.#recordingOf(instance.vmi);
      if (record === undefined) return;
      const now = this.#now();
      const observations = this.#parts.samples(instance, now).map((sample) => observe(sample, now));
      record.observe(observations, now, (field) => this.#parts.writerOf(instance.vmi, field));
    } catch (error) {
      this.#notSeen(instance.vmi.metadata.uid ?? '', error);
    }
  }

  /** Something was told about the instance with that UID; one that is not of this node is passed over. */
  event(uid: string, event: RecordedEvent): void {
    const recording = this.#runs.get(uid);
    if (recording !== undefined) this.#tell(recording, event);
  }

  /** The instance is gone, or gone from this node. */
  gone(vmi: VirtualMachineInstance): void {
    const recording = this.#runs.get(vmi.metadata.uid ?? '');
    if (recording === undefined) return;
    this.#unlooked.delete(recording.uid);
    this.#tell(recording, { ...ownEvent, layer: 'kubernetes', message: 'the instance is gone from this node' });
    this.#runs.delete(recording.uid);
    this.#ended.add(recording);
  }

  /** The newest entries of an instance, oldest first. */
  newest(uid: string, count: number): TimelineEntry[] {
    return this.#runs.get(uid)?.record?.entries().slice(-count) ?? [];
  }

  /** What was recorded of a run of that name, the newest unless one is named; undefined when there is none. */
  async timeline(namespace: string, name: string, uid?: string): Promise<Timeline | undefined> {
    const runs = await this.#summaries(namespace, name);
    const chosen = runs.find((run) => uid === undefined || run.uid === uid);
    const record = chosen && (await this.#recordOf({ namespace, name, uid: chosen.uid }));
    if (chosen === undefined || record === undefined) return undefined;
    return {
      kind: 'Timeline',
      apiVersion: 'subresources.kubevirt.io/v1',
      metadata: { namespace, name, uid: chosen.uid },
      node: this.#parts.nodeName,
      generatedAt: this.#now().toISOString(),
      recording: chosen.recording,
      dropped: record.dropped,
      entries: record.entries(),
      runs,
    };
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.round().catch((error: unknown) => this.#failed(error));
      await sleep(WRITE_MS, signal);
    }
  }

  /** Looks at what ages, forgets what is too old, both when it is time, and writes down what has come. */
  async round(): Promise<void> {
    if (this.#isDue('look', LOOK_MS)) for (const instance of this.#parts.instances()) this.look(instance);
    if (this.#isDue('forget', FORGET_MS)) await this.#forget();
    await this.#write();
  }

  /** Writes down what there is; call it when nothing comes any more. */
  async close(): Promise<void> {
    for (const recording of this.#runs.values()) this.#tell(recording, { ...ownEvent, message: 'virt-handler stops' });
    for (const recording of [...this.#runs.values(), ...this.#ended]) recording.retryAt = 0;
    await this.#write();
  }

  /** Whether something that is done so often is to be done now; a clock that was set back does not stop it. */
  #isDue(what: string, everyMs: number): boolean {
    const now = this.#parts.now();
    const last = this.#lastDone.get(what);
    if (last !== undefined && Math.abs(now - last) < everyMs) return false;
    this.#lastDone.set(what, now);
    return true;
  }

  #now(): Date {
    return new Date(this.#parts.now());
  }

  #tell(recording: Recording, event: RecordedEvent): void {
    const now = this.#now();
    if (recording.record !== undefined) recording.record.event(event, now);
    else if (recording.waiting.length < WAITING) recording.waiting.push((record) => record.event(event, now));
  }

  #recordingOf({ metadata }: VirtualMachineInstance): Recording {
    const { namespace = '', name, uid = '' } = metadata;
    const known = this.#recording(uid);
    if (known !== undefined) {
      this.#ended.delete(known);
      this.#runs.set(uid, known);
      return known;
    }
    const recording: Recording = {
      ...{ namespace, name, uid, record: undefined, waiting: [], bytes: 0 },
      ...{ rewrite: true, unread: false, aside: false, retryAt: 0 },
    };
    this.#runs.set(uid, recording);
    void this.#begin(recording);
    return recording;
  }

  /** Goes on from what was written down before, by another virt-handler perhaps. */
  async #begin(recording: Recording): Promise<void> {
    const lines = await this.#parts.spool.read(recording).catch((error: unknown) => {
      recording.unread = true;
      return this.#failedFor(recording, error);
    });
    const found = lines && this.#understood(lines);
    recording.aside = lines !== undefined && found === undefined;
    const { namespace, name, uid } = recording;
    const now = this.#now();
    const head = { namespace, name, uid, node: this.#parts.nodeName, startedAt: now.toISOString() };
    const record = found ?? new RunRecord(head);
    const message = recording.unread
      ? 'recording begins, what was written down before cannot be read yet'
      : found === undefined
        ? 'recording begins'
        : 'virt-handler was started again, recording goes on';
    record.event({ ...ownEvent, message }, now);
    recording.record = record;
    for (const tell of recording.waiting.splice(0)) tell(record);
    const instance = this.#parts.instances().find(({ vmi }) => vmi.metadata.uid === uid);
    if (instance !== undefined && this.#runs.has(uid)) this.look(instance);
  }

  #understood(lines: readonly string[]): RunRecord | undefined {
    try {
      return RunRecord.read(lines);
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #write(): Promise<void> {
    let isSound = true;
    for (const recording of [...this.#runs.values(), ...this.#ended]) {
      if (recording.record === undefined) continue;
      if (!this.#isWritten(recording)) {
        if (this.#waits(recording)) {
          isSound = false;
          continue;
        }
        try {
          await this.#writeOne(recording);
        } catch (error) {
          recording.rewrite = true;
          this.#failedFor(recording, error);
          if (FOR_ALL.includes(String((error as { code?: unknown }).code))) return;
          isSound = false;
        }
      }
      // More may have come, and it have gone, while that was written.
      if (this.#isWritten(recording)) this.#ended.delete(recording);
    }
    if (!isSound || !this.#inTrouble) return;
    this.#inTrouble = false;
    this.#parts.log.info({}, 'timelines are written again');
  }

  #isWritten({ record, rewrite, unread }: Recording): boolean {
    return !unread && !rewrite && record?.isWritten === true;
  }

  /** A clock that was set back does not make it wait longer. */
  #waits({ retryAt }: Recording): boolean {
    const left = retryAt - this.#parts.now();
    return left > 0 && left <= RETRY_MS;
  }

  async #writeOne(recording: Recording): Promise<void> {
    const { spool } = this.#parts;
    if (recording.unread) await this.#readAgain(recording);
    const { record } = recording;
    if (record === undefined) return;
    if (recording.aside) await spool.setAside(recording);
    recording.aside = false;
    if (!recording.rewrite && recording.bytes <= REWRITE_BYTES) {
      const added = await spool.add(recording, record.takeLines());
      recording.bytes += added ?? 0;
      if (added !== undefined) return;
    }
    recording.bytes = await spool.replace(recording, record.allLines());
    recording.rewrite = false;
  }

  /** What was recorded meanwhile comes after what is found now. */
  async #readAgain(recording: Recording): Promise<void> {
    const lines = await this.#parts.spool.read(recording);
    const whole = lines && recording.record?.after(lines);
    recording.aside = lines !== undefined && whole === undefined;
    recording.record = whole ?? recording.record;
    recording.unread = false;
  }

  #failedFor(recording: Recording, error: unknown): undefined {
    recording.retryAt = this.#parts.now() + RETRY_MS;
    return this.#failed(error);
  }

  #failed(error: unknown): undefined {
    if (this.#inTrouble) return;
    this.#inTrouble = true;
    const reason = errorMessage(error);
    this.#parts.log.warn({ reason }, 'timelines are not recorded on the node as they should be');
  }

  #notSeen(uid: string, error: unknown): void {
    if (this.#unlooked.has(uid)) return;
    this.#unlooked.add(uid);
    this.#parts.log.warn({ uid, reason: errorMessage(error) }, 'an instance cannot be looked at for its timeline');
  }

  async #forget(): Promise<void> {
    try {
      const { spool } = this.#parts;
      const now = this.#parts.now();
      const isRecording = (uid: string) => this.#runs.has(uid);
      for (const run of toForget(await spool.runs(now - LEFT_MS), isRecording, now)) await spool.remove(run);
    } catch (error) {
      this.#failed(error);
    }
  }

  #recording(uid: string): Recording | undefined {
    return this.#runs.get(uid) ?? [...this.#ended].find((recording) => recording.uid === uid);
  }

  async #recordOf(run: RunName): Promise<RunRecord | undefined> {
    const record = this.#recording(run.uid)?.record;
    if (record !== undefined) return record;
    const lines = await this.#parts.spool.read(run);
    return lines && this.#understood(lines);
  }

  async #summaries(namespace: string, name: string): Promise<RunSummary[]> {
    const { nodeName, spool } = this.#parts;
    const isOfName = (run: RunName) => run.namespace === namespace && run.name === name;
    // A node whose disk fails still tells of what it has in memory.
    const spooled = await spool.runsOf(namespace, name).catch(() => []);
    const inMemory = [...this.#runs.values(), ...this.#ended].filter(isOfName).flatMap(({ uid, record }) => {
      if (record === undefined) return [];
      const lastAt = record.entries().at(-1)?.time ?? null;
      return [{ uid, node: nodeName, startedAt: record.head.startedAt, lastAt, recording: this.#runs.has(uid) }];
    });
    const written: RunSummary[] = [];
    for (const run of spooled) {
      const isWritten = !inMemory.some(({ uid }) => uid === run.uid);
      const head = isWritten ? await spool.head(run).catch(() => undefined) : undefined;
      if (head === undefined) continue;
      const lastAt = new Date(run.lastAt).toISOString();
      written.push({ uid: run.uid, node: nodeName, startedAt: head.startedAt, lastAt, recording: false });
    }
    return newestFirst([...inMemory, ...written]);
  }
}

const ownEvent = { layer: 'node', field: 'recorder', source: 'virt-handler' } as const;
