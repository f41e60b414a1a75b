import { parseProbe } from './arguments.ts';

const words = (text: string) => text.split(' ').filter(Boolean);

test.each<[string, object]>([
  ['--domainName n_v --timeoutSeconds 5 --guestAgentPing', { timeoutSeconds: 5, question: 'ping' }],
  ['--guestAgentPing', { timeoutSeconds: 1, question: 'ping' }],
  ['--started', { timeoutSeconds: 1, question: 'started' }],
  [
    '--domainName n_v --timeoutSeconds 2 --command cat -- /etc/x',
    { timeoutSeconds: 2, question: 'exec', command: ['cat', '/etc/x'] },
  ],
  ['--command true --', { timeoutSeconds: 1, question: 'exec', command: ['true'] }],
  [
    '--command sh -- --timeoutSeconds 9 --',
    { timeoutSeconds: 1, question: 'exec', command: ['sh', '--timeoutSeconds', '9', '--'] },
  ],
])('%s', (text, request) => {
  expect(parseProbe(words(text))).toEqual(request);
});

test.each([
  ['', /one of --started, --guestAgentPing and --command/],
  ['--guestAgentPing --command a', /one of/],
  ['--command', /--command needs a value/],
  ['--timeoutSeconds x --guestAgentPing', /"x", not a number of seconds/],
  ['--guestAgentPing --help', /"--help" is not an option/],
])('%s is refused', (text, error) => {
  expect(() => parseProbe(words(text))).toThrow(error);
});
