import { Machine, nothingToBoot, ns } from '../machine.ts';
import { answers, story } from '../rows.ts';

const patient = new Machine(ns, 'patient');
export const graceStory = story('grace periods and spec.running', [
  [
    'spec.running true → an instance',
    async () => {
      await patient.create({ running: true }, { ...nothingToBoot, terminationGracePeriodSeconds: 90 });
      await patient.is('Running');
    },
  ],
  answers(patient, 'running', 'restart', '400 gracePeriodSeconds must be 0 (force restart) or absent, not 5', {
    gracePeriodSeconds: 5,
  }),
  [
    'restart with grace 0 → another instance, without waiting for the guest',
    async () => {
      const before = await patient.runs();
      expect(await patient.call('restart', { gracePeriodSeconds: 0 })).toBe('202');
      await patient.runs(before);
      await patient.is('Running');
    },
  ],
  [
    'stop → spec.running false, and the guest has its grace',
    async () => {
      expect(await patient.call('stop', { gracePeriod: 600 })).toBe('202');
      const vm = await patient.is('Stopping');
      expect([vm.spec.running, vm.spec.runStrategy]).toEqual([false, undefined]);
      expect((await patient.vmi())?.spec.terminationGracePeriodSeconds).toBe(90);
    },
  ],
  answers(patient, 'stopping', 'stop', '409 Halted only supports manual stop requests with a shorter graceperiod'),
  [
    'stopping, stop with a shorter grace → the guest ends then',
    async () => {
      expect(await patient.call('stop', { gracePeriod: 1 })).toBe('202');
      await patient.isGone();
    },
  ],
  [
    'start → spec.running true',
    async () => {
      expect(await patient.call('start')).toBe('202');
      await patient.runs();
      expect((await patient.vm()).spec.running).toBe(true);
      await patient.call('stop', { gracePeriod: 0 });
    },
  ],
]);
