import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VirtualMachineInstanceSpecSchema } from '@yagura/api/schemas';
import { UNSUPPORTED_SPEC_FIELDS } from '@yagura/api/validation';
import { leaves, type Schema, shapesPodOrDomain } from './every-field.testing.ts';

// A field that is accepted and ignored is worse than one that is missing. Most change the launcher's pod or the domain,
// which is tried out here; the others are acted upon by the file named, or do nothing for the reason given.

const HANDLER = 'services/virt-handler/src';
const LAUNCHER = 'services/virt-launcher/src';
const LEASE = `${HANDLER}/network/attachment.ts`;
const PREPARE = `${LAUNCHER}/disks/prepare.ts`;
const CREDENTIALS = 'libs/api/src/access-credentials.ts';

/** Path of a field, or of what it is in, and the file that acts upon it. */
const ELSEWHERE: Record<string, string> = {
  'domain.devices.autoattachPodInterface': 'libs/api/src/defaults/devices.ts',
  'domain.devices.interfaces[].bridge': `${HANDLER}/network/plan.ts`,
  'domain.devices.interfaces[].dhcpOptions': LEASE,
  'domain.devices.interfaces[].masquerade': `${HANDLER}/network/plan.ts`,
  'domain.devices.interfaces[].ports': `${HANDLER}/network/plan.ts`,
  'domain.firmware.kernelBoot.container.initrdPath': `${HANDLER}/disks/sources.ts`,
  'domain.firmware.kernelBoot.container.kernelPath': `${HANDLER}/disks/sources.ts`,
  'networks[].pod.vmNetworkCIDR': `${HANDLER}/network/plan.ts`,
  'volumes[].cloudInitConfigDrive': PREPARE,
  'volumes[].cloudInitNoCloud': PREPARE,
  'volumes[].configMap.volumeLabel': `${LAUNCHER}/disks/file-isos.ts`,
  'volumes[].containerDisk.path': `${HANDLER}/disks/sources.ts`,
  'volumes[].downwardAPI.volumeLabel': `${LAUNCHER}/disks/file-isos.ts`,
  'volumes[].emptyDisk.capacity': PREPARE,
  'volumes[].hostDisk.capacity': `${HANDLER}/disks/host-disks.ts`,
  'volumes[].hostDisk.shared': `${HANDLER}/vmi/migratable.ts`,
  'volumes[].secret.volumeLabel': `${LAUNCHER}/disks/file-isos.ts`,
  'accessCredentials[].sshPublicKey.propagationMethod': CREDENTIALS,
  'accessCredentials[].userPassword.propagationMethod': CREDENTIALS,
  startStrategy: `${LAUNCHER}/domain/sync.ts`,
  evictionStrategy: 'libs/api/src/validation/eviction.ts',
};

/** What needs no action. */
const NOTHING_TO_DO: Record<string, string> = {
  'domain.devices.inputs[].type': 'tablet is the one kind there is; others are refused',
  'domain.devices.interfaces[].slirp': 'refused: discontinued',
  'domain.devices.interfaces[].macvtap': 'refused: discontinued',
  'domain.devices.interfaces[].passt': 'refused: discontinued',
  'domain.devices.interfaces[].ports[].name': 'for the reader, and for Services',
  'networks[].name': 'the key by which an interface finds its network',
  'volumes[].name': 'the key by which a disk finds its volume',
  'volumes[].ephemeral.persistentVolumeClaim.readOnly': 'below an overlay nothing is ever written',
};

const ROOT = join(import.meta.dirname, '../../..');
const all = leaves(VirtualMachineInstanceSpecSchema as unknown as Schema);
const isIn = (path: string, parent: string) =>
  path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[]`);
const covers = (table: readonly string[], path: string) => table.some((parent) => isIn(path, parent));

test('every field of an instance is acted upon, refused by name, or listed with the reason why not', () => {
  const told = [...UNSUPPORTED_SPEC_FIELDS, ...Object.keys(ELSEWHERE), ...Object.keys(NOTHING_TO_DO)];
  const rest = all.filter((leaf) => !covers(told, leaf.path));
  expect(rest.filter((leaf) => !shapesPodOrDomain(leaf)).map(({ path }) => path)).toEqual([]);
});

test.each(Object.entries(ELSEWHERE))('%s is acted upon by %s', (path, file) => {
  const word = path.split('.').at(-1)?.replace('[]', '') ?? '';
  const source = join(ROOT, file);
  expect(existsSync(source) && readFileSync(source, 'utf8').includes(word)).toBe(true);
});

test('what the lists name exists, and is not refused besides', () => {
  const listed = [...Object.keys(ELSEWHERE), ...Object.keys(NOTHING_TO_DO)];
  for (const path of listed) expect(all.map((leaf) => leaf.path).filter((leaf) => isIn(leaf, path))).not.toEqual([]);
});
