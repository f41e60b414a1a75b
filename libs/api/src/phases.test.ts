import { isFinal, isMigrationRunning, isOnNode, isUnprocessed, withPhase } from './phases.ts';
import type { MigrationPhase, VirtualMachineInstanceStatus, VmiPhase } from './types.ts';

const vmi = (phase?: VmiPhase) => ({
  metadata: { name: 'x' },
  spec: { domain: { devices: {} } },
  status: phase ? { phase } : {},
});

test.each<[VmiPhase | undefined, boolean, boolean, boolean]>([
  [undefined, true, false, false],
  ['Pending', true, false, false],
  ['Scheduling', false, false, false],
  ['Scheduled', false, true, false],
  ['Running', false, true, false],
  ['Succeeded', false, false, true],
  ['Failed', false, false, true],
  ['WaitingForSync', false, false, false],
  ['Unknown', false, false, false],
])('phase %s: unprocessed %s, on a node %s, final %s', (phase, unprocessed, onNode, final) => {
  expect([isUnprocessed(vmi(phase)), isOnNode(vmi(phase)), isFinal(vmi(phase))]).toEqual([unprocessed, onNode, final]);
});

test.each<[MigrationPhase | undefined, boolean]>([
  [undefined, false],
  ['Pending', false],
  ['Scheduling', true],
  ['TargetReady', true],
  ['Running', true],
  ['Succeeded', false],
  ['Failed', false],
  ['WaitingForSync', false],
])('a migration in phase %s occupies a place: %s', (phase, running) => {
  const status = phase ? { phase } : {};
  expect(isMigrationRunning({ metadata: { name: 'm' }, spec: { vmiName: 'x' }, status })).toBe(running);
});

test('each phase is recorded once, when it is first entered', () => {
  const start: VirtualMachineInstanceStatus = {};
  const pending = withPhase(start, 'Pending', 't1');
  expect(withPhase(pending, 'Pending', 't2')).toBe(pending);
  const again = withPhase(withPhase(pending, 'Scheduling', 't2'), 'Pending', 't3');
  expect(again).toEqual({
    phase: 'Pending',
    phaseTransitionTimestamps: [
      { phase: 'Pending', phaseTransitionTimestamp: 't1' },
      { phase: 'Scheduling', phaseTransitionTimestamp: 't2' },
    ],
  });
});
