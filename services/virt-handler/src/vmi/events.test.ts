import { VmiEvents } from './events.ts';
import type { RunEnd } from './outcome.ts';
import { testVmi } from './testing.ts';

const grace = 'killed: the guest did not shut down within its grace period of 10 s';

test.each<[RunEnd, string]>([
  [
    { phase: 'Succeeded', reason: undefined, message: 'the guest shut itself down' },
    'Normal: The VirtualMachineInstance was shut down: the guest shut itself down.',
  ],
  [{ phase: 'Failed', reason: 'DomainDestroyed', message: grace }, `Warning: The VirtualMachineInstance was ${grace}.`],
  [
    { phase: 'Failed', reason: 'DomainDestroyed', message: 'killed on request' },
    'Warning: The VirtualMachineInstance was killed on request.',
  ],
  [
    { phase: 'Succeeded', reason: undefined, message: 'killed: the grace period is zero' },
    'Normal: The VirtualMachineInstance was killed: the grace period is zero.',
  ],
  [
    { phase: 'Failed', reason: 'GuestCrashed', message: 'QEMU ended without a shutdown' },
    'Warning: The VirtualMachineInstance crashed: QEMU ended without a shutdown.',
  ],
  [
    { phase: 'Failed', reason: 'Deleted', message: 'the instance was deleted before its guest ran' },
    'Normal: The VirtualMachineInstance was deleted before its guest ran.',
  ],
  [
    { phase: 'Failed', reason: 'Evicted', message: 'the guest was shut down: low on memory' },
    'Warning: The VirtualMachineInstance failed: the guest was shut down: low on memory.',
  ],
])('%o is told in one sentence', (end, text) => {
  const told: string[] = [];
  const events = new VmiEvents({
    normal: (_subject, _reason, message) => told.push(`Normal: ${message}`),
    warning: (_subject, _reason, message) => told.push(`Warning: ${message}`),
  });
  events.stopped(testVmi(), end);
  expect(told).toEqual([text]);
});
