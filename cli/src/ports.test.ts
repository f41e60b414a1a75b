import { UsageError } from './errors.ts';
import { parseForward } from './ports.ts';

test.each([
  ['80', { protocol: 'tcp', local: 80, remote: 80 }],
  ['8080:80', { protocol: 'tcp', local: 8080, remote: 80 }],
  ['0:22', { protocol: 'tcp', local: 0, remote: 22 }],
  ['udp/5353:53', { protocol: 'udp', local: 5353, remote: 53 }],
])('%s is %j', (text, forward) => {
  expect(parseForward(text)).toEqual(forward);
});

test.each(['', 'http', '80:', ':80', '80:0', '99999', 'sctp/80', '80:81:82'])('"%s" names no ports', (text) => {
  expect(() => parseForward(text)).toThrow(UsageError);
});
