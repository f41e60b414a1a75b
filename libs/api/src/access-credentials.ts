import { LAUNCHER_DIRECTORIES } from './launcher-pod/paths.ts';
import type { VirtualMachineInstanceSpec } from './types.ts';

/** A credential that the guest agent puts into the guest; `index` is its place in the spec. */
export type AgentCredential = { kind: 'ssh'; index: number; users: string[] } | { kind: 'password'; index: number };

export type CloudInitKeyMethod = 'noCloud' | 'configDrive';

/** What the launcher asks the agent for, by the kind of the credential. */
export const CREDENTIAL_COMMANDS = {
  ssh: ['guest-ssh-get-authorized-keys', 'guest-ssh-add-authorized-keys'],
  password: ['guest-set-user-password'],
} as const;

type Spec = Pick<VirtualMachineInstanceSpec, 'accessCredentials'>;

export function agentCredentials({ accessCredentials }: Spec): AgentCredential[] {
  return (accessCredentials ?? []).flatMap(({ sshPublicKey, userPassword }, index): AgentCredential[] => {
    if (userPassword) return [{ kind: 'password', index }];
    const users = sshPublicKey?.propagationMethod.qemuGuestAgent?.users;
    return users ? [{ kind: 'ssh', index, users }] : [];
  });
}

/** Places in the spec of the SSH keys that this kind of cloud-init disk carries. */
export function cloudInitKeys({ accessCredentials }: Spec, method: CloudInitKeyMethod): number[] {
  return (accessCredentials ?? []).flatMap(({ sshPublicKey }, index) =>
    sshPublicKey?.propagationMethod[method] ? [index] : [],
  );
}

/** Agent commands that the credentials of the spec need. */
export function credentialCommands(spec: Spec): string[] {
  return [...new Set(agentCredentials(spec).flatMap(({ kind }) => CREDENTIAL_COMMANDS[kind]))];
}

/** Directory of the launcher with the keys of the secret of this credential, a file each. */
export function accessCredentialDirectory(index: number): string {
  return `${LAUNCHER_DIRECTORIES.private}/access-credentials/${index}`;
}
