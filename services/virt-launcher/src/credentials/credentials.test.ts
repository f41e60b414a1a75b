import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentCredential } from '@yagura/api';
import type { Logger } from '@yagura/runtime';
import { Credentials, type CredentialsView } from './credentials.ts';

const SSH: AgentCredential = { kind: 'ssh', index: 0, users: ['ann', 'bob'] };
const PASSWORD: AgentCredential = { kind: 'password', index: 1 };
const log = { info: () => {}, warn: () => {} } as unknown as Logger;
const { signal } = new AbortController();

let privateDirectory: string;
beforeEach(() => {
  privateDirectory = mkdtempSync(join(tmpdir(), 'credentials-'));
});
afterEach(() => rmSync(privateDirectory, { recursive: true }));

function secret(index: number, data: Record<string, string>): void {
  const directory = join(privateDirectory, 'access-credentials', String(index));
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(join(directory, '..data'), { recursive: true });
  for (const [key, value] of Object.entries(data)) writeFileSync(join(directory, key), value);
}

/** A guest whose agent keeps what it is given, and fails the commands named. */
class FakeGuest {
  readonly keys = new Map<string, string[]>();
  readonly passwords = new Map<string, string>();
  readonly asked: string[] = [];
  readonly told: CredentialsView[] = [];
  since: Date | undefined = new Date(0);
  refused: Record<string, string> = {};

  credentials(): Credentials {
    return new Credentials({
      paths: { privateDirectory },
      log,
      ask: async (command, _timeout, _signal, args) => this.#answer(command, args as Record<string, string>),
      agentSince: () => this.since,
      onChange: (view) => this.told.push(view),
    });
  }

  #answer(command: string, args: Record<string, string>): string {
    this.asked.push(command);
    const refusal = this.refused[command];
    if (refusal !== undefined) throw new Error(refusal);
    const { username = '' } = args;
    if (command === 'guest-ssh-get-authorized-keys') {
      return JSON.stringify({ return: { keys: this.keys.get(username) ?? [] } });
    }
    if (command === 'guest-set-user-password') {
      this.passwords.set(username, Buffer.from(args['password'] ?? '', 'base64').toString());
    } else this.keys.set(username, args['keys'] as unknown as string[]);
    return '{"return":{}}';
  }
}

test('what the secrets say gets into the guest, once, and again when it changes', async () => {
  secret(0, { one: 'ssh-ed25519 A ann\n# a remark\n', two: 'ssh-ed25519 B\nssh-ed25519 A ann\n' });
  secret(1, { ann: 'geheim\n' });
  const guest = new FakeGuest();
  const credentials = guest.credentials();
  await credentials.keep([SSH, PASSWORD]);
  await credentials.look(signal, 0);
  const both = ['ssh-ed25519 A ann', 'ssh-ed25519 B'];
  expect([...guest.keys]).toEqual([
    ['ann', both],
    ['bob', both],
  ]);
  expect([...guest.passwords]).toEqual([['ann', 'geheim']]);
  expect(guest.told).toEqual([{ succeeded: true, message: '' }]);

  const asked = guest.asked.length;
  await credentials.look(signal, 5_000);
  expect(guest.asked).toHaveLength(asked);
  secret(0, { one: 'ssh-ed25519 C\n' });
  await credentials.look(signal, 10_000);
  expect(guest.keys.get('bob')).toEqual(['ssh-ed25519 C']);
});

test('a guest that comes up anew is given them anew; keys that it has are not written again', async () => {
  secret(0, { one: 'ssh-ed25519 A\n' });
  const guest = new FakeGuest();
  const credentials = guest.credentials();
  await credentials.keep([SSH]);
  guest.since = undefined;
  await credentials.look(signal, 0);
  expect(guest.told).toEqual([]);
  guest.since = new Date(1);
  await credentials.look(signal, 5_000);
  guest.keys.delete('ann');
  guest.asked.length = 0;
  guest.since = new Date(2);
  await credentials.look(signal, 10_000);
  expect(guest.asked.filter((command) => command.includes('add'))).toHaveLength(1);
  expect(guest.keys.get('ann')).toEqual(['ssh-ed25519 A']);
});

test('what fails is named for each user, and tried again', async () => {
  secret(0, { one: 'ssh-ed25519 A\n' });
  secret(1, { ann: 'x' });
  const guest = new FakeGuest();
  guest.refused = { 'guest-set-user-password': 'no such user' };
  const credentials = guest.credentials();
  await credentials.keep([SSH, PASSWORD]);
  await credentials.look(signal, 0);
  expect(credentials.view).toEqual({ succeeded: false, message: 'password of user "ann": no such user' });
  guest.refused = {};
  await credentials.look(signal, 5_000);
  expect(credentials.view?.succeeded).toBe(false);
  await credentials.look(signal, 20_000);
  expect(credentials.view).toEqual({ succeeded: true, message: '' });
});

test('a change that no agent can take is told', async () => {
  secret(1, { ann: 'x' });
  const guest = new FakeGuest();
  const credentials = guest.credentials();
  await credentials.keep([PASSWORD]);
  await credentials.look(signal, 0);
  guest.since = undefined;
  await credentials.look(signal, 5_000);
  expect(credentials.view?.succeeded).toBe(true);
  secret(1, { ann: 'y' });
  await credentials.look(signal, 10_000);
  expect(credentials.view).toEqual({ succeeded: false, message: 'the guest agent is offline' });
});

test('a launcher that comes after this one knows them', async () => {
  secret(1, { ann: 'x' });
  await new FakeGuest().credentials().keep([PASSWORD]);
  const guest = new FakeGuest();
  const stop = new AbortController();
  const run = guest.credentials();
  const running = run.run(stop.signal);
  run.wake();
  while (guest.told.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    run.wake();
  }
  stop.abort();
  await running;
  expect(guest.passwords.get('ann')).toBe('x');
});
