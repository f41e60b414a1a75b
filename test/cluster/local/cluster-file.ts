import { readText, writeIfChanged } from '../files.ts';
import { clusterFile } from '../paths.ts';

/** What `up` was asked for, kept on the machine. Whether any of it still runs is not told here. */
export interface ClusterFile {
  readonly version: 1;
  readonly checkout: string;
  readonly nodes: number;
  readonly bootId: string;
}

export async function readClusterFile(): Promise<ClusterFile | undefined> {
  const text = await readText(clusterFile);
  if (text === undefined) return undefined;
  try {
    const file = JSON.parse(text) as ClusterFile;
    return file.version === 1 ? file : undefined;
  } catch {
    return undefined;
  }
}

export async function writeClusterFile(file: ClusterFile): Promise<void> {
  await writeIfChanged(clusterFile, `${JSON.stringify(file, null, 2)}\n`);
}

export type Decision =
  | { readonly action: 'create' }
  | { readonly action: 'keep'; readonly nodes: number }
  | { readonly action: 'replace'; readonly why: string };

export interface Found {
  readonly file: ClusterFile | undefined;
  /** Anything of a cluster on the machine besides its files. */
  readonly traces: boolean;
  readonly controlPlaneRuns: boolean;
}

/** Keep what can be repaired, replace what is another's, another shape, or of before a reboot. */
export function decide(
  found: Found,
  want: { readonly checkout: string; readonly nodes: number | undefined; readonly bootId: string },
): Decision {
  const { file } = found;
  if (file === undefined)
    return found.traces ? { action: 'replace', why: 'traces of an unfinished cluster' } : { action: 'create' };
  if (file.checkout !== want.checkout) return { action: 'replace', why: `the cluster of ${file.checkout}` };
  if (want.nodes !== undefined && want.nodes !== file.nodes)
    return { action: 'replace', why: `${file.nodes} nodes, now ${want.nodes}` };
  if (file.bootId !== want.bootId) return { action: 'replace', why: 'a cluster of before the reboot' };
  if (!found.controlPlaneRuns) return { action: 'replace', why: 'a cluster that was killed' };
  return { action: 'keep', nodes: file.nodes };
}
