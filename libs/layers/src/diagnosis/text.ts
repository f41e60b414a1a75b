import { oneLine } from '../one-line.ts';
import type { Diagnosis, Finding, Status } from './types.ts';

/** Marks a status, e.g. by a colour. */
export type Paint = (status: Status, text: string) => string;

/** The diagnosis for a person: the verdict, why, what to do, and what else there is. */
export function renderDiagnosis(diagnosis: Diagnosis, paint: Paint = (_, text) => text): string {
  const { metadata, node, generatedAt, verdict, others, contradictions, remarks } = diagnosis;
  const where = node === undefined ? '' : ` on node ${node}`;
  const lines = [
    `${metadata.namespace}/${metadata.name}${where}: ${headline(verdict, paint)}`,
    ...section('because', verdict.because.map(oneLine)),
    ...section('next', verdict.next.map(oneLine)),
    ...more('also', others, paint),
    ...more(
      'contradictions',
      contradictions.filter((one) => one !== verdict),
      paint,
    ),
    ...more('remarks', remarks, (_, text) => text),
    `as of ${generatedAt}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function headline({ status, layer, signal, since }: Finding, paint: Paint): string {
  return `${paint(status, status)}, ${layer}: ${oneLine(signal)}${since === null ? '' : ` since ${since}`}`;
}

function section(title: string, sentences: string[]): string[] {
  return sentences.length === 0 ? [] : [`  ${title}:`, ...sentences.map((sentence) => `    ${sentence}`)];
}

function more(title: string, findings: Finding[], paint: Paint): string[] {
  return section(
    title,
    findings.map(
      (finding) =>
        `${paint(finding.status, oneLine(finding.signal))} (${finding.layer}): ${oneLine(finding.because.join('; '))}`,
    ),
  );
}
