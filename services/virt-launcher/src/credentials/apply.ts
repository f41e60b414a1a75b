import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '@yagura/runtime';
import type { AskAgent } from '../agent/exec.ts';
import { classify } from '../agent/failure.ts';
import { parseAnswer } from '../agent/topics.ts';
import type { WantedCredentials } from './wanted.ts';

const TIMEOUT_SECONDS = 4;

/** Has the agent put the credentials into the guest; what is there already stays. Answers what went wrong, a line each. */
export async function applyCredentials(
  ask: AskAgent,
  { keys, passwords }: WantedCredentials,
  signal: AbortSignal,
): Promise<string[]> {
  const problems: string[] = [];
  const attempt = async (what: string, command: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      const lacks = classify(error) === 'unsupported';
      problems.push(`${what}: ${lacks ? `the guest agent has no command ${command}` : errorMessage(error).trim()}`);
    }
  };
  for (const [username, wanted] of keys) {
    await attempt(`SSH keys of user "${username}"`, 'guest-ssh-add-authorized-keys', async () => {
      const answer = await ask('guest-ssh-get-authorized-keys', TIMEOUT_SECONDS, signal, { username }).catch(
        () => null,
      );
      const known = parseAnswer(answer ?? '{}') as { keys?: string[] } | undefined;
      if (isDeepStrictEqual(known?.keys, wanted)) return;
      await ask('guest-ssh-add-authorized-keys', TIMEOUT_SECONDS, signal, { username, keys: wanted, reset: true });
    });
  }
  for (const [username, text] of passwords) {
    await attempt(`password of user "${username}"`, 'guest-set-user-password', async () => {
      const password = Buffer.from(text).toString('base64');
      await ask('guest-set-user-password', TIMEOUT_SECONDS, signal, { username, password, crypted: false });
    });
  }
  return problems;
}
