import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeLauncherEnd, type LauncherEnd } from '@yagura/api';
import { createLogger } from '@yagura/runtime';
import { PodEnd, patience } from './pod-end.ts';

test('the pod waits longer for a watcher than for nobody, and hardly at all once the kubelet wants it', () => {
  const waits = [patience(false, true), patience(true, true), patience(false, false), patience(true, false)];
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(patience(false, true)).toBeLessThanOrEqual(1_000);
});

describe('the last words', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pod-end-'));
  });
  afterEach(async () => rm(directory, { recursive: true }));

  const words: LauncherEnd = { outcome: 'destroyed', message: 'killed on request', ran: true, podTerminating: false };
  const podEnd = (farewell: () => Promise<void>, endPodProgram = 'true') =>
    new PodEnd({
      endPodProgram,
      log: createLogger('test', '0').child({}, { level: 'silent' }),
      lastWords: () => words,
      terminationMessage: join(directory, 'termination-log'),
      watchers: () => 1,
      farewell,
    });
  const read = async () =>
    decodeLauncherEnd(await readFile(join(directory, 'termination-log'), 'utf8').catch(() => ''));

  test('are there as soon as the domain has ended, in case the pod is killed before it ends', async () => {
    const end = podEnd(async () => {});
    end.onDomainEnd();
    while ((await read()) === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await read()).toEqual(words);
    end.now();
  });

  test('are there before the pod is ended, also by a launcher that had no domain', async () => {
    const seen = await new Promise<LauncherEnd | undefined>((resolve) => {
      podEnd(async () => resolve(await read())).now();
    });
    expect(seen).toEqual(words);
  });

  test.each<[string, () => Promise<void>]>([
    ['hangs', async () => new Promise(() => {})],
    ['fails', async () => Promise.reject(new Error('the server is closed'))],
  ])('a farewell that %s does not keep the pod', async (_, farewell) => {
    const program = join(directory, 'end-pod');
    await writeFile(
      program,
      `#!/bin/sh\necho "$1" >"${directory}/code.new"; mv "${directory}/code.new" "${directory}/code"\n`,
      {
        mode: 0o755,
      },
    );
    podEnd(farewell, program).now();
    const code = async () => readFile(join(directory, 'code'), 'utf8').catch(() => undefined);
    while ((await code()) === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await code()).toBe('5\n');
  });
});
