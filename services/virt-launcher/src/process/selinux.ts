import { readFileSync } from 'node:fs';

/** The SELinux context of this process; "none" where there is no SELinux. */
export function selinuxContext(file = '/proc/self/attr/current'): string {
  let label: string;
  try {
    label = readFileSync(file, 'utf8').replace(/[\0\n]+$/, '');
  } catch {
    return 'none';
  }
  // The file is that of whatever security module there is; only SELinux has user:role:type.
  return /^[^:\s]+:[^:\s]+:[^:\s]+(:\S+)?$/.test(label) ? label : 'none';
}
