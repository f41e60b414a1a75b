/** A part of what is done in a pod's network namespace. */
export type Step =
  | { ip: readonly string[] }
  /** Paths under /proc/sys and their values; one that this kernel does not have is left out. */
  | { sysctls: readonly (readonly [path: string, value: string])[] }
  | { nft: string };

/** One shell script for all steps; they hold nothing but addresses and names of ours, quoted by here-documents. */
export function renderScript(steps: readonly Step[]): string {
  return `${steps.flatMap(linesOf).join('\n')}\n`;
}

function linesOf(step: Step): string[] {
  if ('ip' in step) return step.ip.length === 0 ? [] : ["ip -batch - <<'END'", ...step.ip, 'END'];
  if ('nft' in step) return ["nft -f - <<'END'", step.nft, 'END'];
  return step.sysctls.map(([path, value]) => `[ ! -e /proc/sys/${path} ] || echo ${value} > /proc/sys/${path}`);
}
