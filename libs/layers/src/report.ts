import type { Observation } from './observation.ts';

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
}

export interface ReportSubject {
  namespace: string;
  name: string;
  uid?: string;
  node?: string;
}

export function layersReport(subject: ReportSubject, observations: Observation[], now: Date): LayersReport {
  const { namespace, name, uid, node } = subject;
  return {
    kind: 'LayersReport',
    apiVersion: 'subresources.kubevirt.io/v1',
    metadata: { namespace, name, ...(uid === undefined ? {} : { uid }) },
    ...(node === undefined ? {} : { node }),
    generatedAt: now.toISOString(),
    observations,
  };
}
