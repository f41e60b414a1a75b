import type { LayersReport } from '../report.ts';
import { rules } from '../rules/index.ts';
import { unknown } from '../rules/ordinary.ts';
import { Facts } from './facts.ts';
import type { Diagnosis, Finding, Rule } from './types.ts';

/**
 * What a layer report means. Rules stand in the order of causes, so of those that say broken the first is the verdict;
 * where none does, the first that says anything is. Nothing wrong: the ordinary state that was seen, or unknown.
 */
export function diagnose(report: LayersReport): Diagnosis {
  const facts = new Facts(report);
  const holding = rules.flatMap((rule) => finding(rule, facts) ?? []);
  const wrong = holding.filter(({ finding: { status } }) => status !== 'healthy').map((held) => held.finding);
  const fine = holding.filter(({ finding: { status } }) => status === 'healthy');
  const verdict =
    wrong.find(({ status }) => status === 'broken') ??
    wrong[0] ??
    fine.find(({ rule }) => !rule.remark)?.finding ??
    assemble(unknown, unknown.holds(facts));
  const contradictions = holding.filter(({ rule }) => rule.contradiction).map((held) => held.finding);
  return {
    kind: 'Diagnosis',
    apiVersion: 'subresources.kubevirt.io/v1',
    metadata: report.metadata,
    ...(report.node === undefined ? {} : { node: report.node }),
    generatedAt: report.generatedAt,
    verdict,
    others: wrong.filter((one) => one !== verdict && !contradictions.includes(one)),
    contradictions,
    remarks: fine.filter(({ rule }) => rule.remark).map((held) => held.finding),
  };
}

function finding(rule: Rule, facts: Facts): { rule: Rule; finding: Finding } | undefined {
  const evidence = rule.holds(facts);
  return evidence && { rule, finding: assemble(rule, evidence) };
}

function assemble(rule: Rule, evidence: ReturnType<Rule['holds']>): Finding {
  const { layer, name } = rule;
  const { because = [], next = [], since = null, status = rule.status } = evidence ?? {};
  return { status, layer, signal: name, since, because, next };
}
