import { followProbeAnnotation } from './guest-probes.ts';
import { testDomain, testVmi } from './testing.ts';

test.each([
  ['nothing', {}, false, undefined],
  ['a wish', { 'kubevirt.io/pause-guest-agent-probes': 'true' }, false, true],
  ['a wish that is met', { 'kubevirt.io/pause-guest-agent-probes': 'true' }, true, undefined],
  ['a wish that was taken back', { 'kubevirt.io/pause-guest-agent-probes': 'false' }, true, false],
])('%s is passed on to the launcher', async (_what, annotations, guestProbesSuspended, asked) => {
  const calls: boolean[] = [];
  const link = {
    calls: { suspendGuestProbes: async ({ suspended }: { suspended: boolean }) => calls.push(suspended) },
  };
  await followProbeAnnotation(testVmi({}, {}, { annotations }), testDomain({ guestProbesSuspended }), link as never);
  expect(calls).toEqual(asked === undefined ? [] : [asked]);
});
