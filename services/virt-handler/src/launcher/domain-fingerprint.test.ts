import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DomainState } from '@yagura/contracts';
import { testDomain } from '../vmi/testing.ts';
import { domainFingerprint } from './domain-fingerprint.ts';

const at = (second: number) => timestampFromDate(new Date(Date.UTC(2026, 10, 30, 12, 0, second)));
const base = testDomain({ observedAt: at(0), monitor: { lastAnswer: at(0) }, guestAgent: { lastSuccess: at(0) } });

test.each([
  ['a domain seen again as it was is the same', { observedAt: at(3) }, true],
  ['so is one whose QEMU answered again', { monitor: { lastAnswer: at(3) } }, true],
  ['so is one whose agent answered again', { guestAgent: { lastSuccess: at(3) } }, true],
  [
    'so is one of which more evidence was found',
    { evidence: { arp: [{ interface: 'default', answers: true }] } },
    true,
  ],
  ['a QEMU that falls silent is news', { monitor: { lastAnswer: at(0), silentSince: at(3) } }, false],
  ['a state is news', { state: DomainState.PAUSED }, false],
])('%s', (_, part, same) => {
  const parts = { observedAt: at(0), monitor: { lastAnswer: at(0) }, guestAgent: { lastSuccess: at(0) }, ...part };
  expect(domainFingerprint(testDomain(parts)) === domainFingerprint(base)).toBe(same);
});
