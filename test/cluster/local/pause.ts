import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec } from '../exec.ts';
import { pauseImage } from './containerd.ts';

/** The sandbox image: tini reaps and ends on SIGTERM, busybox sleeps. A docker archive written by tar alone. */
export async function buildPauseArchive(archive: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'yagura-pause-'));
  const tar = (args: readonly string[]): Promise<string> =>
    exec('tar', ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', ...args]);
  try {
    await mkdir(join(work, 'root'));
    await copyFile('/usr/bin/tini-static', join(work, 'root/tini'));
    await copyFile('/bin/busybox', join(work, 'root/busybox'));
    await tar(['-C', join(work, 'root'), '-cf', join(work, 'layer.tar'), 'tini', 'busybox']);
    const digest = createHash('sha256')
      .update(await readFile(join(work, 'layer.tar')))
      .digest('hex');
    const config = JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: { Entrypoint: ['/tini', '-s', '--', '/busybox', 'sleep', 'infinity'], User: '65535:65535' },
      rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
    });
    const configName = `${createHash('sha256').update(config).digest('hex')}.json`;
    await writeFile(join(work, configName), config);
    await writeFile(
      join(work, 'manifest.json'),
      JSON.stringify([{ Config: configName, RepoTags: [pauseImage], Layers: ['layer.tar'] }]),
    );
    await tar(['-C', work, '-cf', `${archive}.new`, 'manifest.json', configName, 'layer.tar']);
    await exec('mv', [`${archive}.new`, archive]);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
