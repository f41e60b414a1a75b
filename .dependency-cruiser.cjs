/** Imports point downwards only: services and cli → libs → contracts. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'libs-import-no-services', severity: 'error', from: { path: '^libs/' }, to: { path: '^(services|cli|test)/' } },
    { name: 'services-import-no-services', severity: 'error', from: { path: '^services/([^/]+)/' }, to: { path: '^(services/(?!$1/)|cli/|test/)' } },
    { name: 'product-imports-no-tests', severity: 'error', from: { path: '^(libs|services|cli)/', pathNot: '\\.test\\.ts$' }, to: { path: '^test/' } },
    { name: 'launcher-knows-no-kubernetes', severity: 'error', from: { path: '^services/virt-launcher/' }, to: { path: ['^libs/kube/', '@kubernetes/client-node'], reachable: true } },
    { name: 'pure-libs-do-no-io', severity: 'error', from: { path: '^libs/(api|domain|layers)/src/', pathNot: '\\.test\\.ts$' }, to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|path)$' } },
    { name: 'no-undeclared-dependency', severity: 'error', from: { pathNot: '(\\.(test\\.ts|testing\\.ts|mjs|cjs)|/testing/[^/]+)$' }, to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(/src/gen/|/dist/|/build/|\\.local/)' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'], extensions: ['.ts', '.mjs', '.js', '.cjs'] },
  },
};
