import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { launcherVmi, type VirtualMachineInstance } from '../../libs/api/src/index.ts';
import { LauncherVmiSchema } from '../../libs/api/src/schemas/index.ts';
import { VirtualMachineInstanceSchema } from '../../libs/contracts/src/gen/yagura/launcher/v1/vmi_pb.js';
import { arbitraryOf } from './arbitrary.ts';
import { readLock, vmiProto } from './vmi-proto.ts';
import { ROOT } from './write.ts';

test('message and field numbers are as the schemas say', async () => {
  const before = await readLock();
  const { text, lock } = vmiProto(before);
  expect(readFileSync(join(ROOT, 'proto/yagura/launcher/v1/vmi.proto'), 'utf8')).toBe(text);
  expect(lock).toEqual(before);
});

/** To the launcher and back: as JSON, as a message, on the wire. */
function thereAndBack(vmi: VirtualMachineInstance): JsonValue {
  const json = launcherVmi(vmi) as unknown as JsonValue;
  const message = fromJson(VirtualMachineInstanceSchema, json, { ignoreUnknownFields: true });
  const wire = toBinary(VirtualMachineInstanceSchema, message);
  return toJson(VirtualMachineInstanceSchema, fromBinary(VirtualMachineInstanceSchema, wire));
}

test('an instance arrives at the launcher as it was sent, but for quantities, which become text', () => {
  const instances = arbitraryOf(LauncherVmiSchema) as fc.Arbitrary<VirtualMachineInstance>;
  fc.assert(
    fc.property(instances, (vmi) => {
      expect(thereAndBack(vmi)).toEqual(launcherVmi(vmi));
    }),
    { numRuns: 50 },
  );
});

test('what the launcher need not know does not reach it', () => {
  const vmi: VirtualMachineInstance = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'demo', resourceVersion: '7', managedFields: [{}], ownerReferences: [] },
    spec: { domain: { memory: { guest: 1 }, devices: {} }, affinity: {}, tolerations: [], nodeSelector: { a: 'b' } },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null }] },
  };
  expect(thereAndBack(vmi)).toEqual({
    metadata: { name: 'demo' },
    spec: { domain: { memory: { guest: '1' }, devices: {} } },
  });
});
