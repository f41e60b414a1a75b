import type { VirtualMachineInstanceSpec } from '../types.ts';
import { list, type Report } from './report.ts';

const HANDLERS = ['exec', 'guestAgentPing', 'httpGet', 'tcpSocket'] as const;
const MAX_PORT = 65_535;

export function validateProbe(
  kind: 'livenessProbe' | 'readinessProbe',
  spec: VirtualMachineInstanceSpec,
  at: string,
  report: Report,
): void {
  const probe = spec[kind];
  if (probe === undefined) return;
  const field = `${at}.${kind}`;
  const given = HANDLERS.filter((handler) => probe[handler]);
  if (given.length === 0) report.required(field, `has no handler: ${list(HANDLERS)} must be set`);
  if (given.length > 1) report.invalid(field, `has the handlers ${given.join(' and ')} at once; choose one`);
  if ((probe.httpGet || probe.tcpSocket) && !spec.networks?.some(({ pod }) => pod)) {
    report.invalid(field, 'connects to the guest, which needs an interface on the pod network');
  }
  for (const name of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const) {
    if ((probe[name] ?? 0) < 0) report.invalid(`${field}.${name}`, `is ${probe[name]}; it must not be negative`);
  }
  if (kind === 'livenessProbe' && (probe.successThreshold ?? 0) > 1) {
    report.invalid(`${field}.successThreshold`, `is ${probe.successThreshold}; of a liveness probe it must be 1`);
  }
  for (const handler of ['httpGet', 'tcpSocket'] as const) {
    const port = probe[handler]?.port;
    if (port !== undefined && !isPort(port)) {
      report.invalid(`${field}.${handler}.port`, `is "${port}"; it must be a number from 1 to ${MAX_PORT}`);
    }
  }
  report.oneOf(`${field}.httpGet.scheme`, probe.httpGet?.scheme, ['HTTP', 'HTTPS']);
  if (probe.exec && !probe.exec.command?.length) {
    report.required(`${field}.exec.command`, 'is empty; name the program that the guest is to run');
  }
}

/** A name would be looked up among the ports of the launcher's container, which has none. */
function isPort(port: number | string): boolean {
  const number = Number(port);
  return Number.isInteger(number) && number >= 1 && number <= MAX_PORT;
}
