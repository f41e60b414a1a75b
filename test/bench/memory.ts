import { inLauncher, type PodObject } from '../e2e/support/machines.ts';

/** Memory of one process, in MiB. */
export interface ProcessMemory {
  name: string;
  pss: number;
  rss: number;
}

/** Every process of the launcher's container with its proportional and resident memory, from the kernel's own figures. */
export async function podMemory(pod: PodObject): Promise<ProcessMemory[]> {
  const script =
    'for f in /proc/[0-9]*; do [ -r $f/smaps_rollup ] || continue; printf "%s|%s|" "$(cat $f/comm 2>/dev/null)" "$(tr "\\0" " " < $f/cmdline 2>/dev/null | cut -c1-400)"; grep -E "^(Rss|Pss):" $f/smaps_rollup 2>/dev/null | tr "\\n" " "; echo; done';
  const lines = (await inLauncher(pod, script)).split('\n');
  return lines.flatMap((line) => {
    const [comm = '', cmdline = '', figures = ''] = line.split('|');
    const kibibytes = (name: string): number | undefined => {
      const found = new RegExp(`${name}: +(\\d+) kB`).exec(figures)?.[1];
      return found === undefined ? undefined : Number(found);
    };
    const pss = kibibytes('Pss');
    const rss = kibibytes('Rss');
    // The looking shell and its children are not the pod's.
    if (pss === undefined || rss === undefined || ['sh', 'cat', 'grep', 'tr', 'cut'].includes(comm)) return [];
    const name = cmdline.includes('main.mjs') ? 'virt-launcher' : comm;
    return [{ name, pss: pss / 1024, rss: rss / 1024 }];
  });
}
