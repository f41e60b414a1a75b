import type { Freshness, JsonValue, Layer } from '../observation.ts';

interface Entry {
  /** Order within a run, from 1: it holds also where the clock was set back or virt-handler was started again. */
  seq: number;
  /** RFC 3339: when virt-handler saw it, by the node's clock. */
  time: string;
  layer: Layer;
  /** The field of the layer report, or the name of the event. */
  field: string;
  /** Who says so, e.g. `libvirt`, `guest-agent`, `VirtualMachineInstance`. */
  source: string;
}

/** A field says something else than before, or can be trusted more or less than before. */
export interface ChangeEntry extends Entry {
  kind: 'change';
  /** Null: nothing was known, or there was no such field. */
  old: JsonValue;
  new: JsonValue;
  /** Where that has changed. */
  freshness?: { old: Freshness; new: Freshness };
  /** More fields of the same source that the same befell at the same moment; only of changes of freshness. */
  also?: string[];
  /** The source's own words, where it fails. */
  error?: string;
  /** Of a field of a Kubernetes object: its field manager, who wrote it last. */
  writer?: string;
}

/** Something that was told as having happened. */
export interface EventEntry extends Entry {
  kind: 'event';
  message: string;
  /** A Kubernetes event of type Warning. */
  warning?: true;
}

/** A field that changes again and again: one entry for all of it, at the place where that began. */
export interface FlapEntry extends Entry {
  kind: 'flap';
  of: 'change' | 'event';
  /** Changes so far; `time` is that of the last. */
  count: number;
  /** RFC 3339: of the first of them. */
  since: string;
  /** What it changes between, in order of appearance. */
  values: JsonValue[];
  /** There are more values than that: it does not go back and forth, it goes on. */
  more?: true;
  /** What it says now. */
  new: JsonValue;
  freshness?: Freshness;
  /** Field managers that wrote it meanwhile; two or more fight over it. */
  writers?: string[];
}

export type TimelineEntry = ChangeEntry | EventEntry | FlapEntry;

/** One run of an instance, as a node remembers it: an instance of the same name again is another run. */
export interface RunSummary {
  uid: string;
  node: string;
  /** RFC 3339: since when this node records it. */
  startedAt: string;
  /** RFC 3339: of the newest entry; null without any. */
  lastAt: string | null;
  /** The node has it and records on; else it is gone from there. */
  recording: boolean;
}

/** What has changed about one instance, as the `timeline` subresource serves it. */
export interface Timeline {
  kind: 'Timeline';
  apiVersion: 'subresources.kubevirt.io/v1';
  metadata: { namespace: string; name: string; uid: string };
  node: string;
  /** RFC 3339, by the node's clock. */
  generatedAt: string;
  recording: boolean;
  /** Entries that were older than these and are not kept any more. */
  dropped: number;
  /** Oldest first. */
  entries: TimelineEntry[];
  /** All runs of that name that whoever was asked remembers, newest first. */
  runs: RunSummary[];
  /** Nodes that were asked for runs and did not answer. */
  unanswered?: { node: string; error: string }[];
}
