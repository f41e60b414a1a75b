import { vmiOf } from '../testing/objects.ts';
import { VmiEvents } from './events.ts';

test.each<[keyof VmiEvents, unknown[], string]>([
  ['podCreated', ['p'], 'Normal SuccessfulCreate: Created virtual machine pod p'],
  ['podNotCreated', ['no quota'], 'Warning FailedCreate: no quota'],
  ['podDeleted', ['p'], 'Normal SuccessfulDelete: Deleted virtual machine pod p'],
  ['podNotDeleted', ['p', 'why'], 'Warning FailedDelete: Virtual machine pod p cannot be deleted: why'],
  [
    'podNotPatched',
    ['p', 'why'],
    'Warning FailedPodPatch: The readiness gate of virtual machine pod p cannot be written: why',
  ],
  ['volume', [{ warning: false, reason: 'VolumeUnplugged', message: 'm' }], 'Normal VolumeUnplugged: m'],
  ['trouble', [{ reason: 'NodeUnresponsive', message: 'm' }], 'Warning NodeUnresponsive: m'],
])('%s', (name, args, text) => {
  const told: string[] = [];
  const events = new VmiEvents({
    normal: (_subject, reason, message) => told.push(`Normal ${reason}: ${message}`),
    warning: (_subject, reason, message) => told.push(`Warning ${reason}: ${message}`),
  });
  (events[name] as (...all: unknown[]) => void)(vmiOf('Running'), ...args);
  expect(told).toEqual([text]);
});
