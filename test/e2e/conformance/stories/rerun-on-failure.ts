import { kubectl } from '../../support/cluster.ts';
import { launcherPod } from '../../support/machines.ts';
import { Machine, ns } from '../machine.ts';
import { answers, story } from '../rows.ts';

const rerun = new Machine(ns, 'rerun');
export const rerunOnFailureStory = story('RerunOnFailure', [
  [
    'never started → an instance is made',
    async () => {
      await rerun.create({ runStrategy: 'RerunOnFailure' });
      await rerun.is('Running');
    },
  ],
  answers(rerun, 'running', 'start', '409 VM is already running'),
  ['crash → another instance', async () => void (await rerun.runs(await rerun.crash()))],
  [
    'the launcher pod is taken away → another instance',
    async () => {
      const before = await rerun.runs();
      const { metadata } = await launcherPod(before);
      await kubectl('-n', ns, 'delete', 'pod', metadata.name, '--wait=false');
      await rerun.runs(before);
      await rerun.is('Running');
    },
  ],
  [
    'the instance is deleted → none',
    async () => {
      await rerun.deleteInstance();
      await rerun.isGone();
    },
  ],
  answers(rerun, 'no instance', 'stop', '409 VM is not running'),
  answers(rerun, 'no instance', 'restart', '409 VM is not running'),
  [
    'start → an instance',
    async () => {
      expect(await rerun.call('start')).toBe('202');
      await rerun.is('Running');
    },
  ],
  [
    'restart → another instance',
    async () => {
      const before = await rerun.runs();
      expect(await rerun.call('restart')).toBe('202');
      await rerun.runs(before);
      await rerun.is('Running');
    },
  ],
  [
    'stop → none, the strategy stays',
    async () => {
      expect(await rerun.call('stop')).toBe('202');
      await rerun.isGone();
      expect(await rerun.strategy()).toBe('RerunOnFailure');
    },
  ],
]);
