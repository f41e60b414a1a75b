import { EFFECTIVE_SETTINGS, ignoredSettings } from './ignored-settings.ts';
import { KubeVirtSchema } from './schemas/kubevirt.ts';
import type { KubeVirt } from './types.ts';

const ignored = (spec: KubeVirt['spec']) => ignoredSettings({ metadata: { name: 'kubevirt' }, spec });

test.each<[string, KubeVirt['spec'], string[]]>([
  ['nothing', {}, []],
  ['what the chart sets', { uninstallStrategy: 'RemoveWorkloads', configuration: { imagePullPolicy: 'Always' } }, []],
  ['empty parts', { infra: {}, configuration: { migrations: {}, permittedHostDevices: { pciHostDevices: [] } } }, []],
  [
    'parts of no effect',
    {
      infra: { replicas: 2 },
      configuration: {
        migrations: { allowPostCopy: false },
        developerConfiguration: { useEmulation: true, logVerbosity: { virtAPI: 4, virtLauncher: 4 } },
        network: { binding: { passt: {} }, permitSlirpInterface: true },
      },
    },
    [
      'infra',
      'configuration.migrations',
      'configuration.developerConfiguration.logVerbosity.virtAPI',
      'configuration.network.permitSlirpInterface',
    ],
  ],
])('%s', (_what, spec, paths) => {
  expect(ignored(spec)).toEqual(paths);
});

test.each(EFFECTIVE_SETTINGS)('%s is a field of the object', (path) => {
  let schema: { properties?: Record<string, object> } = KubeVirtSchema.properties.spec;
  for (const name of path.split('.')) {
    expect(Object.keys(schema.properties ?? {})).toContain(name);
    schema = schema.properties?.[name] ?? {};
  }
});
