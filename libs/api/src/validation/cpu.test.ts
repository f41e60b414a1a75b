import { causes, domain } from './testing/causes.ts';

const cpu = (of: object, more: object = {}) => ({ domain: domain({ cpu: of, ...more }) });
const C = 'spec.domain.cpu';
const R = 'spec.domain.resources';
const M = 'spec.domain.memory';

test.each<[string, object, string]>([
  ['more sockets than there can be', cpu({ sockets: 3, maxSockets: 2 }), `Invalid ${C}.sockets`],
  [
    'more sockets than there can be, by what is asked of the node',
    cpu({ maxSockets: 2 }, { resources: { requests: { cpu: 3 } } }),
    `Invalid ${C}.sockets`,
  ],
  ['a feature without a name', cpu({ features: [{ name: '' }] }), `Required ${C}.features[0].name`],
  ['three threads on pinned CPUs', cpu({ dedicatedCpuPlacement: true, threads: 3 }), `Invalid ${C}.threads`],
  [
    'pinned CPUs with a request below the limit',
    cpu({ dedicatedCpuPlacement: true, cores: 2 }, { resources: { requests: { cpu: 1 }, limits: { cpu: 2 } } }),
    `Invalid ${R}.requests.cpu`,
  ],
  [
    'half a pinned CPU',
    cpu({ dedicatedCpuPlacement: true, cores: 1 }, { resources: { limits: { cpu: '500m' } } }),
    `Invalid ${R}.limits.cpu`,
  ],
  [
    'an emulator thread of its own without pinning',
    cpu({ isolateEmulatorThread: true }),
    `Invalid ${C}.isolateEmulatorThread`,
  ],
  ['NUMA without pinning', cpu({ numa: { guestMappingPassthrough: {} } }), `Invalid ${C}.numa.guestMappingPassthrough`],
  [
    'NUMA without huge pages',
    cpu({ numa: { guestMappingPassthrough: {} }, dedicatedCpuPlacement: true }),
    `Required ${M}.hugepages`,
  ],
  ['real time without pinning', cpu({ realtime: {} }), `Required ${C}.dedicatedCpuPlacement`],
  [
    'real time without NUMA',
    cpu({ realtime: {}, dedicatedCpuPlacement: true }),
    `Required ${C}.numa.guestMappingPassthrough`,
  ],
  ['a mask that is none', cpu({ realtime: { mask: 'all' } }), `Invalid ${C}.realtime.mask`],
  [
    'an unknown thread policy',
    { domain: domain({ ioThreadsPolicy: 'many' }) },
    'NotSupported spec.domain.ioThreadsPolicy',
  ],
  [
    'a pool without a size',
    { domain: domain({ ioThreadsPolicy: 'supplementalPool' }) },
    'Required spec.domain.ioThreads.supplementalPoolThreadCount',
  ],
  [
    'an empty pool',
    { domain: domain({ ioThreadsPolicy: 'supplementalPool', ioThreads: { supplementalPoolThreadCount: 0 } }) },
    'Invalid spec.domain.ioThreads.supplementalPoolThreadCount',
  ],
  [
    'a pool that nobody asked for',
    { domain: domain({ ioThreadsPolicy: 'auto', ioThreads: { supplementalPoolThreadCount: 2 } }) },
    'Invalid spec.domain.ioThreads.supplementalPoolThreadCount',
  ],
  [
    'a page size that is none',
    { domain: domain({ memory: { guest: '1Gi', hugepages: { pageSize: 'big' } } }) },
    `Invalid ${M}.hugepages.pageSize`,
  ],
  ['no page size', { domain: domain({ memory: { guest: '1Gi', hugepages: {} } }) }, `Required ${M}.hugepages.pageSize`],
  [
    'less than a page',
    { domain: domain({ memory: { guest: '64Mi', hugepages: { pageSize: '1Gi' } } }) },
    `Invalid ${M}.guest`,
  ],
  [
    'half a page',
    { domain: domain({ memory: { guest: '3Mi', hugepages: { pageSize: '2Mi' } } }) },
    `Invalid ${M}.guest`,
  ],
  [
    'a request of half a page',
    {
      domain: domain({
        memory: { guest: '4Mi', hugepages: { pageSize: '2Mi' } },
        resources: { requests: { memory: '3Mi' } },
      }),
    },
    `Invalid ${R}.requests.memory`,
  ],
  [
    'less memory at most than now',
    { domain: domain({ memory: { guest: '2Gi', maxGuest: '1Gi' } }) },
    `Invalid ${M}.maxGuest`,
  ],
  [
    'a guest that is too small to grow',
    { domain: domain({ memory: { guest: '512Mi', maxGuest: '2Gi' } }) },
    `Invalid ${M}.maxGuest`,
  ],
  [
    'a crooked size that could grow',
    { domain: domain({ memory: { guest: '1025Mi', maxGuest: '2Gi' } }) },
    `Invalid ${M}.guest`,
  ],
  [
    'growth to a crooked size',
    { domain: domain({ memory: { guest: '1Gi', maxGuest: '2000001Ki' } }) },
    `Invalid ${M}.maxGuest`,
  ],
  [
    'growth in huge pages',
    { domain: domain({ memory: { guest: '1Gi', maxGuest: '2Gi', hugepages: { pageSize: '2Mi' } } }) },
    `Invalid ${M}.maxGuest`,
  ],
  [
    'growth where nothing can be plugged in',
    { domain: domain({ memory: { guest: '1Gi', maxGuest: '2Gi' }, devices: { disableHotplug: true } }) },
    `Invalid ${M}.maxGuest`,
  ],
  [
    'growth beside pinned CPUs',
    { domain: domain({ memory: { guest: '1Gi', maxGuest: '2Gi' }, cpu: { dedicatedCpuPlacement: true, cores: 1 } }) },
    `Invalid ${M}.maxGuest`,
  ],
  ['more than Kubernetes counts', { domain: domain({ memory: { guest: '100Ei' } }) }, `Invalid ${M}.guest`],
  [
    'an overhead below nothing',
    { domain: domain({ memory: { guest: '1Gi', reservedOverhead: { addedOverhead: '-1' } } }) },
    `Invalid ${M}.reservedOverhead.addedOverhead`,
  ],
  [
    'a lock that is none',
    { domain: domain({ memory: { guest: '1Gi', reservedOverhead: { memLock: 'x' } } }) },
    `NotSupported ${M}.reservedOverhead.memLock`,
  ],
  ['a reboot policy that is none', { domain: domain({ rebootPolicy: 'x' }) }, 'NotSupported spec.domain.rebootPolicy'],
])('%s is refused', (_, spec, cause) => {
  expect(causes(spec)).toContain(cause);
});

test.each([
  { guest: '1Gi', maxGuest: '4Gi' },
  { guest: '128Mi', maxGuest: '128Mi' },
])('memory %j is admitted', (memory) => {
  expect(causes({ domain: domain({ memory }) })).toEqual([]);
});
