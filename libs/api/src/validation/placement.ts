import type { VirtualMachineInstanceSpec } from '../types.ts';
import { validateAffinity } from './affinity.ts';
import { isDnsSubdomain, isLabelKey, isLabelValue } from './names.ts';
import type { Report } from './report.ts';

/** Where the launcher pod may run, checked here so that it is not the pod that is refused, when nobody looks. */
export function validatePlacement(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) {
    const field = `${at}.nodeSelector[${key}]`;
    if (!isLabelKey(key)) report.invalid(field, `"${key}" is not the key of a label`);
    if (!isLabelValue(value)) report.invalid(field, `is "${value}", which is not the value of a label`);
  }
  for (const name of ['priorityClassName', 'schedulerName'] as const) {
    const value = spec[name];
    if (value && !isDnsSubdomain(value)) report.invalid(`${at}.${name}`, `is "${value}", which is not a name`);
  }
  validateTolerations(spec, `${at}.tolerations`, report);
  validateSpread(spec, `${at}.topologySpreadConstraints`, report);
  if (spec.affinity) validateAffinity(spec.affinity, `${at}.affinity`, report);
}

function validateTolerations({ tolerations }: VirtualMachineInstanceSpec, at: string, report: Report): void {
  tolerations?.forEach(({ key, operator, value, effect, tolerationSeconds }, index) => {
    const field = `${at}[${index}]`;
    report.oneOf(`${field}.operator`, operator, ['Exists', 'Equal']);
    report.oneOf(`${field}.effect`, effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
    if (!key && operator !== 'Exists') report.invalid(`${field}.operator`, 'must be Exists, as there is no key');
    if (key && !isLabelKey(key)) report.invalid(`${field}.key`, `is "${key}", which is not the key of a taint`);
    if (operator === 'Exists' && value) report.invalid(`${field}.value`, 'must be empty with operator Exists');
    if (value && !isLabelValue(value))
      report.invalid(`${field}.value`, `is "${value}", which is not the value of a taint`);
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      report.invalid(`${field}.effect`, 'must be NoExecute for tolerationSeconds');
    }
  });
}

function validateSpread({ topologySpreadConstraints }: VirtualMachineInstanceSpec, at: string, report: Report): void {
  topologySpreadConstraints?.forEach((constraint, index) => {
    const field = `${at}[${index}]`;
    const { whenUnsatisfiable, topologyKey, minDomains } = constraint;
    report.notBelow(`${field}.maxSkew`, constraint.maxSkew, 1);
    if (!isLabelKey(topologyKey))
      report.invalid(`${field}.topologyKey`, `is "${topologyKey}", which is not the key of a label`);
    if (!whenUnsatisfiable) report.required(`${field}.whenUnsatisfiable`, 'is missing');
    report.oneOf(`${field}.whenUnsatisfiable`, whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway']);
    report.notBelow(`${field}.minDomains`, minDomains, 1);
    if (minDomains !== undefined && whenUnsatisfiable === 'ScheduleAnyway') {
      report.invalid(`${field}.minDomains`, 'is only for whenUnsatisfiable DoNotSchedule');
    }
    for (const policy of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const value = constraint[policy];
      if (value !== undefined && !['Honor', 'Ignore'].includes(value)) {
        report.notSupported(`${field}.${policy}`, `is "${value}"; choose Honor or Ignore`);
      }
    }
  });
  report.unique(
    (topologySpreadConstraints ?? []).map(({ topologyKey, whenUnsatisfiable }, index) => ({
      field: `${at}[${index}]`,
      value: `${topologyKey} ${whenUnsatisfiable}`,
    })),
    'pair of topologyKey and whenUnsatisfiable',
  );
}
