import type { Observation } from './observation.ts';
import { compareStatus, type StatusComparison } from './status/compare.ts';
import type { TimelineEntry } from './timeline/types.ts';

/** What every layer says about one virtual machine instance, as the `layers` subresource serves it. */
export interface LayersReport {
  kind: 'LayersReport';
  apiVersion: 'subresources.kubevirt.io/v1';
  metadata: { namespace: string; name: string; uid?: string };
  /** Node whose virt-handler answered; absent when the instance is on none. */
  node?: string;
  /** RFC 3339: the moment that the freshness of the observations refers to. */
  generatedAt: string;
  observations: Observation[];
  /** Beside each status field what its source says now; absent where there is nothing to compare. */
  status?: StatusComparison[];
  /** What has changed last on its node, oldest first; the whole of it is the timeline. */
  changes?: TimelineEntry[];
  /** The last lines of logs, where they were asked for. */
  logs?: LogTail[];
}

/** The end of a container's log. */
export interface LogTail {
  /** `NAMESPACE/POD CONTAINER`. */
  source: string;
  lines: string[];
  /** Why there are none. */
  error?: string;
}

export interface ReportSubject {
  namespace: string;
  name: string;
  uid?: string;
  node?: string;
}

export function layersReport(
  subject: ReportSubject,
  observations: Observation[],
  now: Date,
  changes: TimelineEntry[] = [],
): LayersReport {
  const { namespace, name, uid, node } = subject;
  const status = compareStatus(observations, now);
  return {
    kind: 'LayersReport',
    apiVersion: 'subresources.kubevirt.io/v1',
    metadata: { namespace, name, ...(uid === undefined ? {} : { uid }) },
    ...(node === undefined ? {} : { node }),
    generatedAt: now.toISOString(),
    observations,
    ...(status.length === 0 ? {} : { status }),
    ...(changes.length === 0 ? {} : { changes }),
  };
}
