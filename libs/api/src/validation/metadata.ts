import { RESERVED_VMI_LABELS } from '../labels.ts';
import type { Report } from './report.ts';

interface Metadata {
  labels?: Readonly<Record<string, string>> | undefined;
  annotations?: Readonly<Record<string, string>> | undefined;
}

/** These labels decide who acts upon an instance: nobody but the product may set, change or remove them. */
export function reservedLabels(now: Metadata | undefined, old: Metadata | undefined, at: string, report: Report): void {
  for (const label of RESERVED_VMI_LABELS) {
    if (now?.labels?.[label] !== old?.labels?.[label]) {
      report.notSupported(
        `${at}.labels[${label}]`,
        'is reserved for the product and cannot be set, changed or removed',
      );
    }
  }
}

/** Annotations of the contract that would change the machine. */
const UNSUPPORTED_ANNOTATIONS = ['kubevirt.io/ignitiondata', 'hooks.kubevirt.io/hookSidecars'];

export function refuseAnnotations(metadata: Metadata | undefined, at: string, report: Report): void {
  for (const key of UNSUPPORTED_ANNOTATIONS) {
    if (metadata?.annotations?.[key]) {
      report.notSupported(`${at}.annotations[${key}]`, 'is not supported by this version; remove it');
    }
  }
}
