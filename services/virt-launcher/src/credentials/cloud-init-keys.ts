import { join, relative } from 'node:path';
import {
  accessCredentialDirectory,
  type CloudInitKeyMethod,
  cloudInitKeys,
  LAUNCHER_DIRECTORIES,
  type VirtualMachineInstanceSpec,
} from '@yagura/api';
import { keyLines, secretFiles } from './secret-files.ts';

/** SSH public keys that a cloud-init disk of this kind carries; later changes of their secrets do not get into it. */
export async function cloudInitPublicKeys(
  spec: Pick<VirtualMachineInstanceSpec, 'accessCredentials'>,
  method: CloudInitKeyMethod,
  privateDirectory: string,
): Promise<string[]> {
  const directories = cloudInitKeys(spec, method).map((index) =>
    join(privateDirectory, relative(LAUNCHER_DIRECTORIES.private, accessCredentialDirectory(index))),
  );
  const secrets = await Promise.all(directories.map(secretFiles));
  return [...new Set(secrets.flatMap(keyLines))];
}
