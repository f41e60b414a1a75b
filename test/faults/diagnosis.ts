import type { Diagnosis } from '@yagura/layers';
import { yagura } from '../e2e/support/cluster.ts';
import { eventually } from '../e2e/support/eventually.ts';
import { type Expected, says } from './fault.ts';

/** What `yagura diagnose` prints now. */
export async function diagnosisOf(namespace: string, name: string): Promise<Diagnosis> {
  const { code, stdout, stderr } = await yagura('diagnose', `${namespace}/${name}`, '-o', 'json');
  if (code > 2 || stdout === '') throw new Error(`yagura diagnose ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Diagnosis;
}

const short = ({ verdict, remarks }: Diagnosis): string =>
  [
    `${verdict.layer} ${verdict.signal} (${verdict.status}): ${verdict.because[0] ?? ''}`,
    ...remarks.map(({ signal }) => signal),
  ].join('; ');

/** Seconds from now until a diagnosis starts that says what is expected, and what it says. */
export async function untilNamed(
  namespace: string,
  name: string,
  expected: Expected,
  patienceSeconds: number,
): Promise<{ seconds: number; diagnosis: Diagnosis }> {
  const begin = performance.now();
  return eventually(
    `${namespace}/${name}: ${expected.layer} ${expected.signals.join(' or ')}`,
    patienceSeconds * 1_000,
    async () => {
      const seconds = (performance.now() - begin) / 1_000;
      const diagnosis = await diagnosisOf(namespace, name);
      if (says(diagnosis, expected)) return { seconds, diagnosis };
      throw new Error(short(diagnosis));
    },
  );
}

/** Healthy, and running. */
export async function untilHealthy(namespace: string, name: string, patienceSeconds: number): Promise<void> {
  await eventually(`${namespace}/${name} is healthy`, patienceSeconds * 1_000, async () => {
    const diagnosis = await diagnosisOf(namespace, name);
    if (diagnosis.verdict.status === 'healthy' && diagnosis.verdict.signal === 'running') return true;
    throw new Error(short(diagnosis));
  });
}
