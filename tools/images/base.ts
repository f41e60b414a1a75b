import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec } from '../../test/cluster/exec.ts';
import { type AptSource, parseAptSources, sourcesFor } from './apt-sources.ts';

const RELEASE = 'trixie';

/** What every Containerfile builds on; from a registry where there is one, else made here under the same name. */
export const BASE = `docker.io/library/debian:${RELEASE}-slim`;

function machineSources(): AptSource[] {
  return ['/etc/apt/sources.list', ...globSync('/etc/apt/sources.list.d/*.{list,sources}')]
    .filter((path) => existsSync(path))
    .flatMap((path) => parseAptSources(path, readFileSync(path, 'utf8')));
}

/** The pages and languages that Debian's own slim image leaves out, too. */
const LEFT_OUT = ['/usr/share/doc/*', '/usr/share/info/*', '/usr/share/locale/*', '/usr/share/man/*'];

/** Makes the base image in buildah's store from the Debian archive, for machines that reach no registry. */
export async function makeBase(signal?: AbortSignal): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'yagura-base-'));
  const run = (command: string, ...args: string[]) => exec(command, args, { log: 'images.log' }, signal);
  try {
    const tar = join(work, 'root.tar');
    const slim = LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`);
    const sources = sourcesFor(RELEASE, machineSources());
    await run('mmdebstrap', '--variant=apt', '--format=tar', ...slim, RELEASE, tar, ...sources);
    const container = (await run('buildah', 'from', 'scratch')).trim();
    await run('buildah', 'add', '--quiet', container, tar, '/');
    await run('buildah', 'config', '--cmd', '/bin/bash', '--env', `PATH=${PATH}`, container);
    await run('buildah', 'commit', '--quiet', '--rm', container, BASE);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
