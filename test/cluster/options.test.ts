import { parseOptions, UsageError } from './options.ts';

test.each([
  [[], 'local', { provider: 'local', nodes: undefined, bare: false }],
  [[], 'kind', { provider: 'kind', nodes: undefined, bare: false }],
  [['--provider', 'kind'], 'local', { provider: 'kind', nodes: undefined, bare: false }],
  [['--nodes', '3', '--bare'], 'local', { provider: 'local', nodes: 3, bare: true }],
  [['--provider=existing'], 'local', { provider: 'existing', nodes: undefined, bare: false }],
] as const)('arguments %j, default %s', (args, fallback, want) => {
  expect(parseOptions(args, fallback)).toEqual(want);
});

test.each([
  [['--provider', 'minikube'], '--provider minikube: not one of local, kind, existing'],
  [['--nodes', '0'], '--nodes 0: not a number from 1 to 9'],
  [['--nodes', 'two'], '--nodes two: not a number from 1 to 9'],
  [['--nodes', '1.5'], '--nodes 1.5: not a number from 1 to 9'],
  [['--provider', 'existing', '--nodes', '2'], '--nodes: an existing cluster has the nodes it has'],
  [['--node', '2'], "Unknown option '--node'"],
  [['three'], 'three'],
])('arguments %j are refused, saying why and how', (args, message) => {
  const parse = (): unknown => parseOptions(args, 'local');
  expect(parse).toThrow(UsageError);
  expect(parse).toThrow(message);
  expect(parse).toThrow('npm run up');
});
