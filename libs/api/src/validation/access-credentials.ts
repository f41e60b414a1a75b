import type { AccessCredential, VirtualMachineInstanceSpec } from '../types.ts';
import type { Report } from './report.ts';

const KINDS = ['sshPublicKey', 'userPassword'] as const;
const METHODS = ['qemuGuestAgent', 'noCloud', 'configDrive'] as const;

/** Credentials: one kind, one source, one way into the guest, and that way must exist. */
export function validateAccessCredentials(spec: VirtualMachineInstanceSpec, at: string, report: Report): void {
  spec.accessCredentials?.forEach((credential, index) => {
    const field = `${at}.accessCredentials[${index}]`;
    const kind = report.exactlyOne(field, credential, KINDS);
    const given = kind && credential[kind];
    if (!given) return;
    const { secret } = given.source;
    if (!secret) report.required(`${field}.${kind}.source`, 'is empty: name the Secret in source.secret.secretName');
    else if (!secret.secretName) report.required(`${field}.${kind}.source.secret.secretName`, 'is empty');
    validateMethod(credential, spec, `${field}.${kind}.propagationMethod`, report);
  });
}

function validateMethod(
  { sshPublicKey, userPassword }: AccessCredential,
  spec: VirtualMachineInstanceSpec,
  field: string,
  report: Report,
): void {
  if (userPassword) {
    report.exactlyOne(field, userPassword.propagationMethod, ['qemuGuestAgent']);
    return;
  }
  const methods = sshPublicKey?.propagationMethod ?? {};
  const method = report.exactlyOne(field, methods, METHODS);
  if (method === 'qemuGuestAgent') {
    const users = sshPublicKey?.propagationMethod.qemuGuestAgent?.users ?? [];
    if (users.length === 0) report.required(`${field}.qemuGuestAgent.users`, 'is empty; name the users of the guest');
    users.forEach((user, index) => {
      if (!user) report.required(`${field}.qemuGuestAgent.users[${index}]`, 'is empty');
    });
  } else if (method) {
    const source = method === 'noCloud' ? 'cloudInitNoCloud' : 'cloudInitConfigDrive';
    if (!spec.volumes?.some((volume) => volume[source])) {
      report.invalid(`${field}.${method}`, `needs a ${source} volume, which ${at(field)}.volumes does not have`);
    }
  }
}

/** Path of the spec in which the credential is. */
function at(field: string): string {
  return field.slice(0, field.indexOf('.accessCredentials'));
}
