import { fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { kubevirtConfig, launcherVmi, renderLauncherPod, type VirtualMachineInstance } from '@yagura/api';
import { VirtualMachineInstanceSchema } from '../../../../libs/contracts/src/gen/yagura/launcher/v1/vmi_pb.js';
import { buildDomainXml, type ConversionOptions, convert, parseDomainXml } from '../../../../libs/domain/src/index.ts';
import { applyPatch } from '../testing/apply-patch.ts';
import { type AdmissionRequest, reviewOf, type Verdict, type Webhook } from './review.ts';
import { webhooks } from './webhooks.ts';

const config = kubevirtConfig({
  metadata: { name: 'kubevirt' },
  spec: { configuration: { developerConfiguration: { useEmulation: true, featureGates: ['HostDisk'] } } },
});
const nothing = async () => undefined;
export const hooks = webhooks({
  namespace: 'yagura',
  config: () => config,
  cluster: {
    pod: nothing,
    vmi: nothing,
    instanceOf: nothing,
    migrationsOf: async () => [],
    markForEvacuation: nothing,
  },
  uuid: () => '11111111-2222-4333-8444-555555555555',
  now: () => '2026-01-02T03:04:05Z',
});

export function request(object: object, old?: object): AdmissionRequest {
  return {
    uid: 'r',
    operation: old ? 'UPDATE' : 'CREATE',
    namespace: 'ns',
    userInfo: { username: 'jane' },
    object: object,
    ...(old ? { oldObject: old } : {}),
  };
}

/** As the API server passes it on: half a surrogate pair has become a replacement character. */
const received = <T extends object>(sent: T): T =>
  JSON.parse(JSON.stringify(sent), (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  ) as T;

/** What the API server does: the mutator's patch, then the validator's word. */
export function admit<T extends object>(
  sent: T,
  mutate: Webhook,
  validate: Webhook,
  old?: T,
): { after: T; verdict: Verdict } {
  const object = received(sent);
  const mutation = mutate(request(object, old));
  expect(mutation.allowed).toBe(true);
  const after = 'patch' in mutation && mutation.patch ? applyPatch(object, mutation.patch) : object;
  const verdict = validate(request(after, old));
  // The answer can be sent, and says what is wrong.
  const { response } = JSON.parse(JSON.stringify(reviewOf('r', verdict))) as {
    response: { allowed: boolean; status?: { message: string; code: number } };
  };
  if (!response.allowed) {
    expect(response.status?.code).toBe(422);
    expect(response.status?.message).not.toBe('');
  }
  return { after, verdict };
}

/** Everything that is made of an instance before its guest runs; throws where one of the makers refuses it. */
export function realise(accepted: VirtualMachineInstance): void {
  const vmi = { ...accepted, metadata: { ...accepted.metadata, name: 'x', namespace: 'ns', uid: 'u' } };
  expect(renderLauncherPod(vmi, config, { image: 'launcher', podName: 'p' }).spec.containers.length).toBeGreaterThan(0);
  const message = fromJson(VirtualMachineInstanceSchema, launcherVmi(vmi) as unknown as JsonValue, {
    ignoreUnknownFields: true,
  });
  const received = toJson(VirtualMachineInstanceSchema, message) as unknown as VirtualMachineInstance;
  const names = [...(vmi.spec.volumes ?? []), ...(vmi.spec.domain.devices.disks ?? [])].map(({ name }) => name);
  const options: ConversionOptions = {
    accelerator: 'tcg',
    privateDirectory: '/p',
    disks: new Map(names.map((name) => [name, { file: `/d/${name}`, format: 'raw' }])),
    interfaces: (vmi.spec.networks ?? []).map(({ name }, index) => ({ name, tapDevice: `tap${index}` })),
    kernelBoot: { kernelPath: '/k' },
    firmwareDirectory: '/usr/share/OVMF',
  };
  expect(parseDomainXml(buildDomainXml(convert(received, options)))).toBeDefined();
}
