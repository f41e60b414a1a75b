// Unit tests stand beside what they test; anything that needs a cluster lives under test/ and runs by its own project.
const base = {
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  transformIgnorePatterns: ['/node_modules/'],
  testEnvironment: 'node',
};

export default {
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{libs,services,cli,tools}/**/*.test.ts',
        '<rootDir>/test/{cluster,bench,load}/**/*.test.ts',
      ],
      testPathIgnorePatterns: ['/node_modules/', '/libs/libvirt/', '\\.real\\.test\\.ts$'],
    },
    // Against real libvirt, QEMU and promtool on this machine.
    {
      ...base,
      displayName: 'native',
      testMatch: [
        '<rootDir>/libs/libvirt/**/*.test.ts',
        '<rootDir>/services/**/*.real.test.ts',
        '<rootDir>/test/alerts/**/*.test.ts',
      ],
    },
    { ...base, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.test.ts'] },
    { ...base, displayName: 'upgrade', testMatch: ['<rootDir>/test/upgrade/**/*.test.ts'] },
    { ...base, displayName: 'faults', testMatch: ['<rootDir>/test/faults/**/*.test.ts'] },
    { ...base, displayName: 'crash', testMatch: ['<rootDir>/test/crash/**/*.test.ts'] },
    { ...base, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.test.ts'] },
  ],
};
