import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LauncherVmiSchema } from '../../libs/api/src/schemas/index.ts';
import { type Lock, type ProtoFile, protoFile } from './proto-file.ts';
import { ROOT, writeIfChanged } from './write.ts';

const PROTO = 'proto/yagura/launcher/v1/vmi.proto';
const LOCK = 'libs/api/vmi-proto.lock.json';

/** The launcher's message of an instance, and the field numbers it was ever given. */
export function vmiProto(lock: Lock): ProtoFile {
  return protoFile({
    package: 'yagura.launcher.v1',
    message: 'VirtualMachineInstance',
    schema: LauncherVmiSchema,
    comment: [
      'Generated from the schemas in libs/api by `npm run gen`; do not edit.',
      '',
      'JSON names are those of kubevirt.io/v1. Quantities are strings; what is 64 bits wide there is 32 here,',
      'because it counts seconds or generations and protobuf writes 64-bit numbers as strings.',
      `Field numbers are kept in ${LOCK}.`,
    ],
    lock,
  });
}

export async function readLock(): Promise<Lock> {
  return JSON.parse(await readFile(join(ROOT, LOCK), 'utf8')) as Lock;
}

/** Writes the proto file and its lock; returns the paths that changed. */
export async function generate(): Promise<string[]> {
  const { text, lock } = vmiProto(await readLock());
  return [
    ...(await writeIfChanged(PROTO, text)),
    ...(await writeIfChanged(LOCK, `${JSON.stringify(lock, null, 2)}\n`)),
  ];
}

if (import.meta.main) for (const path of await generate()) console.log(path);
