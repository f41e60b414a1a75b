import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec } from '../exec.ts';
import { pauseImage } from './containerd.ts';

export interface SmallImage {
  readonly reference: string;
  /** Name in the image's root, to the file it is copied from. */
  readonly files: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly user: string;
}

/** The sandbox image: tini reaps and ends on SIGTERM, busybox sleeps. */
export const pause: SmallImage = {
  reference: pauseImage,
  files: { tini: '/usr/bin/tini-static', busybox: '/bin/busybox' },
  entrypoint: ['/tini', '-s', '--', '/busybox', 'sleep', 'infinity'],
  user: '65535:65535',
};

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/** Writes a one-layer image of static binaries as a docker archive, by tar alone: no image builder is needed yet. */
export async function writeImageArchive(image: SmallImage, archive: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'yagura-image-'));
  const reproducible = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];
  const names = Object.keys(image.files);
  try {
    await mkdir(join(work, 'root'));
    for (const [name, from] of Object.entries(image.files)) await copyFile(from, join(work, 'root', name));
    await exec('tar', [...reproducible, '-C', join(work, 'root'), '-cf', join(work, 'layer.tar'), ...names]);
    const config = JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: { Entrypoint: image.entrypoint, User: image.user },
      rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(await readFile(join(work, 'layer.tar')))}`] },
    });
    const configName = `${sha256(config)}.json`;
    await writeFile(join(work, configName), config);
    const manifest = [{ Config: configName, RepoTags: [image.reference], Layers: ['layer.tar'] }];
    await writeFile(join(work, 'manifest.json'), JSON.stringify(manifest));
    await exec('tar', [...reproducible, '-C', work, '-cf', `${archive}.new`, 'manifest.json', configName, 'layer.tar']);
    await exec('mv', [`${archive}.new`, archive]);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
