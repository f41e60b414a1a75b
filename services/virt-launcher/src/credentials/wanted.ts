import type { AgentCredential } from '@yagura/api';
import { keyLines } from './secret-files.ts';

/** What the guest's users should have. */
export interface WantedCredentials {
  /** Authorized keys by user: exactly these. */
  keys: ReadonlyMap<string, readonly string[]>;
  passwords: ReadonlyMap<string, string>;
}

/** Credentials with the contents of their secrets; several for one user add up. */
export function wantedCredentials(
  given: readonly { credential: AgentCredential; files: ReadonlyMap<string, string> }[],
): WantedCredentials {
  const keys = new Map<string, string[]>();
  const passwords = new Map<string, string>();
  for (const { credential, files } of given) {
    if (credential.kind === 'password') {
      // A line end comes from the editor: no password has one.
      for (const [user, text] of files) passwords.set(user, text.replace(/\r?\n$/, ''));
      continue;
    }
    for (const user of credential.users) {
      keys.set(user, [...new Set([...(keys.get(user) ?? []), ...keyLines(files)])]);
    }
  }
  return { keys, passwords };
}

/** Two that are equal have the same text. */
export function fingerprint({ keys, passwords }: WantedCredentials): string {
  return JSON.stringify([[...keys], [...passwords]]);
}
