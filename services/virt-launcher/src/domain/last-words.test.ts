import type { LauncherEnd } from '@yagura/api';
import { lastWords } from './last-words.ts';
import type { RunRecord } from './run-record.ts';

const begun: RunRecord = { uid: 'u', name: 'default_demo' };
const running: RunRecord = { ...begun, startedAt: '2026-11-30T12:00:00Z' };
const end = { time: '2026-11-30T12:01:00Z', outcome: 'destroyed', message: 'killed on request' } as const;

test.each<[string, RunRecord | undefined, boolean, Partial<LauncherEnd>]>([
  ['without a domain it says so', undefined, true, { outcome: 'no-domain', ran: false, podTerminating: true }],
  ['a domain that never ran is none', begun, false, { outcome: 'no-domain', ran: false }],
  ['a domain whose end is not known is no success', running, true, { outcome: 'unobserved', ran: true }],
  [
    'an end is told as it was recorded',
    { ...running, end },
    false,
    { outcome: 'destroyed', message: 'killed on request', ran: true, podTerminating: false },
  ],
  ['a pod that was told to end later has not ended the domain', { ...running, end }, true, { podTerminating: false }],
  [
    'a domain that ended because its pod had to',
    { ...running, end: { ...end, podTerminating: true } },
    true,
    { podTerminating: true },
  ],
])('%s', (_, record, podTerminating, words) => {
  expect(lastWords(record, podTerminating)).toMatchObject(words);
});
