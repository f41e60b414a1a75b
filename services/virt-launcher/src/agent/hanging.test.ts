import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LibvirtError, LibvirtTimeoutError } from '@yagura/libvirt';
import { RunRecordFile } from '../domain/run-record.ts';
import { HangingCommand } from './hanging.ts';

const directory = mkdtempSync(join(tmpdir(), 'hanging-'));
const path = join(directory, 'run.json');
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => {
  rmSync(path, { force: true });
  new RunRecordFile(path).begin('u', 'default_demo');
});

const answer = async () => '{}';
const silence = async () => {
  throw new LibvirtTimeoutError('Domain.agentCommand', 4500, true);
};
const refusal = async () => {
  const info = { code: 1, domain: 10, level: 2, message: 'The command guest-ping has been disabled' };
  throw new LibvirtError('Domain.agentCommand', info);
};
const asked = async (hanging: HangingCommand, command: string, send: () => Promise<string>, ping = answer) =>
  hanging.ask(command, send, ping).catch(() => null);

test('the command that an agent which answered a moment before does not come back from is named, until it answers', async () => {
  const hanging = new HangingCommand(new RunRecordFile(path));
  await asked(hanging, 'guest-get-fsinfo', silence);
  expect(hanging.command).toMatchObject({ command: 'guest-get-fsinfo', since: expect.any(Date) });
  const next = new HangingCommand(new RunRecordFile(path));
  await asked(next, 'guest-network-get-interfaces', silence, silence);
  await asked(next, 'guest-get-users', silence, silence);
  expect(next.command?.command).toBe('guest-get-fsinfo');
  await asked(next, 'guest-network-get-interfaces', answer);
  expect(next.command).toBeUndefined();
  expect(new HangingCommand(new RunRecordFile(path)).command).toBeUndefined();
});

test.each<[what: string, command: string, ping: () => Promise<string>]>([
  ['an agent that did not answer before either', 'guest-get-fsinfo', silence],
  ['a command that waits for nothing', 'guest-network-get-interfaces', answer],
])('%s hangs in nothing', async (_, command, ping) => {
  const hanging = new HangingCommand(new RunRecordFile(path));
  await asked(hanging, command, silence, ping);
  expect(hanging.command).toBeUndefined();
});

test('an agent that may not be pinged is alive all the same, and one that answered just now is not pinged', async () => {
  const hanging = new HangingCommand(new RunRecordFile(path));
  await asked(hanging, 'guest-get-fsinfo', silence, refusal);
  expect(hanging.command?.command).toBe('guest-get-fsinfo');
  await asked(hanging, 'guest-info', answer);
  let pings = 0;
  await asked(hanging, 'guest-get-users', answer, async () => {
    pings += 1;
    return '{}';
  });
  expect(pings).toBe(0);
});
