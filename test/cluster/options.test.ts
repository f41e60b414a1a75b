import { parseOptions, UsageError } from './options.ts';

const plain = { nodes: undefined, bare: false, registry: undefined, emulate: false };

test.each([
  [[], 'local', { ...plain, provider: 'local' }],
  [[], 'kind', { ...plain, provider: 'kind' }],
  [['--provider', 'kind'], 'local', { ...plain, provider: 'kind' }],
  [['--nodes', '3', '--bare'], 'local', { ...plain, provider: 'local', nodes: 3, bare: true }],
  [['--provider=existing'], 'local', { ...plain, provider: 'existing' }],
  [
    ['--provider=existing', '--registry=registry.example/team/', '--emulate'],
    'local',
    { ...plain, provider: 'existing', registry: 'registry.example/team', emulate: true },
  ],
] as const)('arguments %j, default %s', (args, fallback, want) => {
  expect(parseOptions(args, fallback)).toEqual(want);
});

test.each([
  [['--provider', 'minikube'], '--provider minikube: not one of local, kind, existing'],
  [['--nodes', '0'], '--nodes 0: not a number from 1 to 9'],
  [['--nodes', 'two'], '--nodes two: not a number from 1 to 9'],
  [['--nodes', '1.5'], '--nodes 1.5: not a number from 1 to 9'],
  [['--provider', 'existing', '--nodes', '2'], '--nodes: an existing cluster has the nodes it has'],
  [['--registry', 'registry.example'], '--registry and --emulate are for existing clusters, and this one is local'],
  [['--emulate'], '--registry and --emulate are for existing clusters'],
  [['--node', '2'], "Unknown option '--node'"],
  [['three'], 'three'],
])('arguments %j are refused, saying why and how', (args, message) => {
  const parse = (): unknown => parseOptions(args, 'local');
  expect(parse).toThrow(UsageError);
  expect(parse).toThrow(message);
  expect(parse).toThrow('npm run up');
});
