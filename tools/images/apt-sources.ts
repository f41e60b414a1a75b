/** A Debian archive that the machine's own apt uses. */
export interface AptSource {
  readonly uri: string;
  readonly suites: readonly string[];
  readonly components: readonly string[];
}

/** Reads one file of apt sources, in the one-line format or (`.sources`) in the deb822 format. */
export function parseAptSources(path: string, text: string): AptSource[] {
  return path.endsWith('.sources') ? parseDeb822(text) : parseOneLine(text);
}

function parseOneLine(text: string): AptSource[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)((?:\s+[^\s#]+)*)/.exec(line);
    if (match === null) return [];
    const [, uri = '', suite = '', components = ''] = match;
    return [{ uri, suites: [suite], components: words(components) }];
  });
}

function parseDeb822(text: string): AptSource[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .split(/\n\s*\n/)
    .flatMap((stanza) => {
      const fields = new Map<string, string>();
      for (const [, key = '', value = ''] of stanza.matchAll(/^([\w-]+):((?:.*)(?:\n[ \t].*)*)/gm)) {
        fields.set(key.toLowerCase(), value);
      }
      if (!words(fields.get('types') ?? '').includes('deb') || fields.get('enabled')?.trim() === 'no') return [];
      const suites = words(fields.get('suites') ?? '');
      const components = words(fields.get('components') ?? '');
      return words(fields.get('uris') ?? '').map((uri) => ({ uri, suites, components }));
    });
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

const DEBIAN =
  /^(buster|bullseye|bookworm|trixie|forky|sid|(old)*stable|testing|unstable)(-updates|-security|\/updates)?$/;

/**
 * The lines of apt sources for `release`, from the mirrors that the machine itself uses for whatever Debian release
 * it runs; with the release's updates, and its security fixes where the machine has a source of those.
 */
export function sourcesFor(release: string, machine: readonly AptSource[]): string[] {
  const debian = machine.filter(
    ({ suites, components }) => components.includes('main') && suites.some((suite) => DEBIAN.test(suite)),
  );
  const isSecurity = ({ suites }: AptSource) => suites.every((suite) => /security|\/updates$/.test(suite));
  const main = debian.find((source) => !isSecurity(source));
  if (main === undefined) throw new Error('none of the apt sources of this machine is a Debian archive');
  const security = debian.find(isSecurity);
  return [
    `deb ${main.uri} ${release} main`,
    `deb ${main.uri} ${release}-updates main`,
    ...(security === undefined ? [] : [`deb ${security.uri} ${release}-security main`]),
  ];
}
