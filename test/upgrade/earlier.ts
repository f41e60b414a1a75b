import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec, tryExec } from '../cluster/exec.ts';
import { checkout } from '../cluster/paths.ts';

/** The product as it was before it had anything beyond a first machine: what an upgrade must carry along. */
export const earlierCommit = '4e8096f9b0101e2b90a39284930e92d079507f25';

const components = ['virt-launcher', 'virt-handler', 'virt-controller', 'virt-api'];

export interface EarlierProduct {
  /** Of its images, localhost/yagura/NAME:TAG. */
  readonly tag: string;
  readonly archives: readonly string[];
  readonly chart: string;
  /** Removes the work tree. */
  dispose(): Promise<void>;
}

/** Checks the commit out into a temporary folder and builds its images, with its own tools. */
export async function buildEarlier(commit: string): Promise<EarlierProduct> {
  const git = (...args: string[]) => exec('git', ['-C', checkout, ...args]);
  if ((await tryExec('git', ['-C', checkout, 'cat-file', '-e', `${commit}^{commit}`])) === undefined)
    throw new Error(
      `the history of ${checkout} does not have commit ${commit}, whose launcher is upgraded from (a shallow clone? git fetch --unshallow)`,
    );
  const tree = join(await mkdtemp(join(tmpdir(), 'yagura-earlier-')), 'tree');
  const dispose = async (): Promise<void> => {
    await tryExec('git', ['-C', checkout, 'worktree', 'remove', '--force', tree]);
    await rm(join(tree, '..'), { recursive: true, force: true });
  };
  try {
    await git('worktree', 'add', '--detach', tree, commit);
    // It has a stamp: if the commit wants another, it fetches its own.
    await cp(join(checkout, '.local/toolchain'), join(tree, '.local/toolchain'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const tag = `from-${commit.slice(0, 12)}`;
    const build = ['tools/run.mjs', 'tools/images.ts', '--tag', tag, '--only', components.join()];
    await exec(process.execPath, build, { cwd: tree, log: 'upgrade-images.log' });
    return {
      tag,
      archives: components.map((name) => join(tree, '.local/images', `${name}.tar`)),
      chart: join(tree, 'charts/yagura'),
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
