import { join } from 'node:path';
import { readText, writeIfChanged } from '../files.ts';
import { stateDir } from '../paths.ts';

/** A copy for the nodes: /etc/resolv.conf may be a link into /run, of which each node has its own. */
export const resolvConfPath = join(stateDir, 'resolv.conf');

const withoutStub = '/run/systemd/resolve/resolv.conf';

/** systemd-resolved's stub listens on the host's loopback, which no pod reaches; beside it lies the real list. */
export async function writeResolvConf(): Promise<void> {
  const text = (await readText('/etc/resolv.conf')) ?? '';
  const real = text.includes('127.0.0.53') ? await readText(withoutStub) : undefined;
  await writeIfChanged(resolvConfPath, real ?? text);
}
