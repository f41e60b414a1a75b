import type { VirtualMachineInstance } from '@yagura/api';
import type { Diagnosis, Layer } from '@yagura/layers';
import type { PodObject } from '../e2e/support/machines.ts';
import type { GuestConsole } from '../e2e/support/streams.ts';

/** The machine that a fault happens to: it runs, its agent answers, and `yagura diagnose` calls it healthy. */
export interface Victim {
  namespace: string;
  name: string;
  node: string;
  vmi: VirtualMachineInstance;
  pod: PodObject;
  /** Its serial console, logged in as root. */
  console: GuestConsole;
}

/** What a diagnosis has to say. */
export interface Expected {
  layer: Layer;
  /** Rules of docs/diagnosis.md of which one is the verdict. */
  signals: readonly string[];
  /** The rule is no verdict: it is said beside one. */
  remark?: true;
}

/** A row of the matrix: something real that breaks. */
export interface Fault {
  name: string;
  expected: Expected;
  /** Seconds from the fault until a diagnosis that starts then says so. */
  withinSeconds: number;
  /** The machine is made for it; the shared one unless given. */
  spec?: Partial<VirtualMachineInstance['spec']>;
  inject(victim: Victim): Promise<void>;
  /** Undoes it. Without it the machine is beyond help, and the next fault gets a new one. */
  repair?(victim: Victim): Promise<void>;
  /** Seconds from the repair until it is healthy again; 60 unless given. */
  healthyWithinSeconds?: number;
}

export const says = ({ verdict, remarks }: Diagnosis, { layer, signals, remark }: Expected): boolean =>
  (remark ? remarks : [verdict]).some((finding) => finding.layer === layer && signals.includes(finding.signal));
