import { renderDiagnosis } from './text.ts';
import type { Diagnosis, Finding } from './types.ts';

test("a guest's control characters are not shown, and the colours of a status are", () => {
  const finding = (signal: string): Finding => ({
    status: 'broken',
    layer: 'guest',
    signal,
    since: null,
    because: ['it says "\u001b[2J"'],
    next: ['yagura console\n\u0007'],
  });
  const diagnosis: Diagnosis = {
    kind: 'Diagnosis',
    apiVersion: 'subresources.kubevirt.io/v1',
    metadata: { namespace: 'default', name: 'demo' },
    generatedAt: '2026-11-30T12:00:00Z',
    verdict: finding('kernel-panic'),
    others: [finding('agent-mute')],
    contradictions: [],
    remarks: [],
  };
  expect(renderDiagnosis(diagnosis, (_, text) => `\u001b[31m${text}\u001b[0m`)).toBe(
    [
      'default/demo: \u001b[31mbroken\u001b[0m, guest: kernel-panic',
      '  because:',
      '    it says "\ufffd[2J"',
      '  next:',
      '    yagura console \ufffd',
      '  also:',
      '    \u001b[31magent-mute\u001b[0m (guest): it says "\ufffd[2J"',
      'as of 2026-11-30T12:00:00Z',
      '',
    ].join('\n'),
  );
});
