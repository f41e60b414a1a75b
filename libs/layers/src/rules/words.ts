import type { Facts } from '../diagnosis/facts.ts';
import { formatAge } from '../table.ts';

export const kubectl = ({ subject }: Facts, command: string) => `kubectl -n ${subject.namespace} ${command}`;
export const describeVmi = (facts: Facts) => kubectl(facts, `describe vmi ${facts.subject.name}`);
export const target = ({ subject }: Facts) => `${subject.namespace}/${subject.name}`;
export const theNode = ({ subject }: Facts) => (subject.node === undefined ? 'the node' : `node ${subject.node}`);

export function describePod(facts: Facts): string {
  const name = facts.pods?.[0]?.name;
  return kubectl(facts, `describe pod ${name ?? `-l vm.kubevirt.io/name=${facts.subject.name}`}`);
}

export function launcherLog(facts: Facts): string {
  const name = facts.pods?.[0]?.name;
  return kubectl(facts, `logs ${name ?? `-l vm.kubevirt.io/name=${facts.subject.name}`} -c compute --tail=50`);
}

/** How long ago that was, e.g. `3m20s`. */
export function seconds(facts: Facts, since: string | undefined): string {
  return since === undefined ? 'some time' : formatAge(facts.now - Date.parse(since));
}
