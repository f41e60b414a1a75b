import { causes, domain } from './testing/causes.ts';

const resources = (of: object) => ({ domain: domain({ resources: of }) });
const R = 'spec.domain.resources';

test.each<[string, object, string]>([
  ['no memory', { domain: { devices: {} } }, 'Required spec.domain.memory.guest'],
  ['memory below a megabyte', { domain: domain({ memory: { guest: '1k' } }) }, 'Invalid spec.domain.memory.guest'],
  ['guest memory above the limit', resources({ limits: { memory: '64Mi' } }), 'Invalid spec.domain.memory.guest'],
  ['a request below a megabyte', resources({ requests: { memory: '1' } }), `Invalid ${R}.requests.memory`],
  ['a negative request', resources({ requests: { memory: '-1Gi' } }), `Invalid ${R}.requests.memory`],
  ['a request above the limit', resources({ requests: { cpu: 2 }, limits: { cpu: 1 } }), `Invalid ${R}.requests.cpu`],
  ['a limit that is no quantity', resources({ limits: { 'x.y/z': 'many' } }), `Invalid ${R}.limits.x.y/z`],
  ['a resource that is none', resources({ limits: { constructor: 1 } }), `Invalid ${R}.limits.constructor`],
  ['negative cores', { domain: domain({ cpu: { cores: -1 } }) }, 'Invalid spec.domain.cpu.cores'],
  ['too many virtual CPUs', { domain: domain({ cpu: { cores: 64, sockets: 9 } }) }, 'Invalid spec.domain.cpu'],
  [
    'an unknown CPU feature policy',
    { domain: domain({ cpu: { features: [{ name: 'x', policy: 'maybe' }] } }) },
    'NotSupported spec.domain.cpu.features[0].policy',
  ],
  [
    'a machine that is not offered',
    { domain: domain({ machine: { type: 'i440fx' } }) },
    'Invalid spec.domain.machine.type',
  ],
])('%s is refused', (_, spec, cause) => {
  expect(causes(spec)).toContain(cause);
});

test.each([
  ['a request instead of guest memory', { domain: { devices: {}, resources: { requests: { memory: '64Mi' } } } }],
  ['a limit instead of guest memory', { domain: { devices: {}, resources: { limits: { memory: '64Mi' } } } }],
  ['a resource of a device plugin', resources({ limits: { 'example.com/nic': 1 } })],
  ['a versioned machine', { domain: domain({ machine: { type: 'pc-q35-10.0' } }) }],
])('%s is accepted', (_, spec) => {
  expect(causes(spec)).toEqual([]);
});
