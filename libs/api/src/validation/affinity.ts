import type { Affinity, LabelSelector } from '../types.ts';
import { isLabelKey, isLabelValue } from './names.ts';
import type { Report } from './report.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const SELECTOR_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
const NODE_OPERATORS = [...SELECTOR_OPERATORS, 'Gt', 'Lt'];
const MAX_WEIGHT = 100;

type NodeTerm = NonNullable<NonNullable<Affinity['nodeAffinity']>[typeof REQUIRED]>['nodeSelectorTerms'][number];
type PodTerm = NonNullable<NonNullable<Affinity['podAffinity']>[typeof REQUIRED]>[number];

export function validateAffinity({ nodeAffinity, ...pods }: Affinity, at: string, report: Report): void {
  const terms = nodeAffinity?.[REQUIRED]?.nodeSelectorTerms;
  const node = `${at}.nodeAffinity`;
  if (terms?.length === 0) {
    report.required(`${node}.${REQUIRED}.nodeSelectorTerms`, 'is empty, which no node would meet');
  }
  terms?.forEach((term, index) => {
    validateNodeTerm(term, `${node}.${REQUIRED}.nodeSelectorTerms[${index}]`, report);
  });
  nodeAffinity?.[PREFERRED]?.forEach(({ weight, preference }, index) => {
    const field = `${node}.${PREFERRED}[${index}]`;
    validateWeight(weight, `${field}.weight`, report);
    validateNodeTerm(preference, `${field}.preference`, report);
  });
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    pods[kind]?.[REQUIRED]?.forEach((term, index) => {
      validatePodTerm(term, `${at}.${kind}.${REQUIRED}[${index}]`, report);
    });
    pods[kind]?.[PREFERRED]?.forEach(({ weight, podAffinityTerm }, index) => {
      const field = `${at}.${kind}.${PREFERRED}[${index}]`;
      validateWeight(weight, `${field}.weight`, report);
      validatePodTerm(podAffinityTerm, `${field}.podAffinityTerm`, report);
    });
  }
}

function validateWeight(weight: number, field: string, report: Report): void {
  if (weight < 1 || weight > MAX_WEIGHT) report.invalid(field, `is ${weight}; it must be 1 to ${MAX_WEIGHT}`);
}

function validateNodeTerm({ matchExpressions, matchFields }: NodeTerm, at: string, report: Report): void {
  matchExpressions?.forEach((requirement, index) => {
    validateRequirement(requirement, NODE_OPERATORS, `${at}.matchExpressions[${index}]`, report);
  });
  matchFields?.forEach(({ key, operator, values }, index) => {
    const field = `${at}.matchFields[${index}]`;
    if (key !== 'metadata.name') report.invalid(`${field}.key`, `is "${key}"; only metadata.name is a field of nodes`);
    if (!['In', 'NotIn'].includes(operator)) report.invalid(`${field}.operator`, 'must be In or NotIn');
    if (values?.length !== 1) report.required(`${field}.values`, 'must name one node');
  });
}

function validatePodTerm(term: PodTerm, at: string, report: Report): void {
  if (!isLabelKey(term.topologyKey)) {
    report.invalid(`${at}.topologyKey`, `is "${term.topologyKey}", which is not the key of a label`);
  }
  for (const selector of ['labelSelector', 'namespaceSelector'] as const) {
    if (term[selector]) validateSelector(term[selector], `${at}.${selector}`, report);
  }
}

export function validateSelector({ matchLabels, matchExpressions }: LabelSelector, at: string, report: Report): void {
  for (const [key, value] of Object.entries(matchLabels ?? {})) {
    const field = `${at}.matchLabels[${key}]`;
    if (!isLabelKey(key)) report.invalid(field, `"${key}" is not the key of a label`);
    if (!isLabelValue(value)) report.invalid(field, `is "${value}", which is not the value of a label`);
  }
  matchExpressions?.forEach((requirement, index) => {
    validateRequirement(requirement, SELECTOR_OPERATORS, `${at}.matchExpressions[${index}]`, report);
  });
}

function validateRequirement(
  { key, operator, values }: { key: string; operator: string; values?: readonly string[] },
  operators: readonly string[],
  at: string,
  report: Report,
): void {
  if (!isLabelKey(key)) report.invalid(`${at}.key`, `is "${key}", which is not the key of a label`);
  if (!operators.includes(operator)) {
    report.notSupported(`${at}.operator`, `is "${operator}"; choose ${operators.join(', ')}`);
    return;
  }
  const given = values ?? [];
  const exists = operator === 'Exists' || operator === 'DoesNotExist';
  const compares = operator === 'Gt' || operator === 'Lt';
  if (exists && given.length > 0) report.invalid(`${at}.values`, `must be empty with operator ${operator}`);
  else if (compares && (given.length !== 1 || !/^[+-]?\d+$/.test(given[0] ?? ''))) {
    report.invalid(`${at}.values`, `must be one whole number with operator ${operator}`);
  } else if (!exists && given.length === 0)
    report.required(`${at}.values`, `is empty, but operator ${operator} needs it`);
  given.forEach((value, index) => {
    if (!isLabelValue(value))
      report.invalid(`${at}.values[${index}]`, `is "${value}", which is not the value of a label`);
  });
}
