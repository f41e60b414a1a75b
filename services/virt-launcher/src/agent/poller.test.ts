import { setTimeout as delay } from 'node:timers/promises';
import { LibvirtError, LibvirtTimeoutError } from '@yagura/libvirt';
import type { Logger } from '@yagura/runtime';
import { AgentPoller, type SendToAgent } from './poller.ts';

const log = { debug: () => {} } as unknown as Logger;
const AGENT_UNRESPONSIVE = 86;
const INTERNAL_ERROR = 1;
const libvirtError = (code: number, message: string) =>
  new LibvirtError('Domain.agentCommand', { code, domain: 10, level: 2, message });

const ANSWERS: Record<string, unknown> = {
  'guest-info': {
    version: '10.0',
    supported_commands: ['guest-info', 'guest-network-get-interfaces', 'guest-get-osinfo', 'guest-get-host-name'].map(
      (name) => ({ name, enabled: true }),
    ),
  },
  'guest-network-get-interfaces': [{ name: 'eth0' }],
  'guest-get-osinfo': { id: 'debian' },
  'guest-get-host-name': { 'host-name': 'demo' },
};

function watched(send: SendToAgent) {
  const changes: string[] = [];
  const poller = new AgentPoller(send, log, (type, detail) => changes.push(`${type} ${detail}`.trim()));
  return { poller, changes };
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('condition not met in 5 s');
    await delay(5);
  }
}

describe('the agent poller', () => {
  test('tells once that the first round is through, and knows what the agent cannot do without asking', async () => {
    const asked: string[] = [];
    const { poller, changes } = watched(async (command) => {
      asked.push(command);
      return JSON.stringify({ return: ANSWERS[command] });
    });
    poller.start();
    await until(() => changes.length > 0);
    poller.stop();
    expect(changes).toEqual(['guest-info first-round']);
    expect(asked).toEqual(Object.keys(ANSWERS));
    expect(poller.answers.all.users).toMatchObject({
      state: 'unsupported',
      error: expect.stringMatching(/guest-get-users/),
    });
    expect(poller.answers.all.os).toMatchObject({ state: 'stale', value: { id: 'debian' } });
  });

  test('keeps the last good answer of an agent that falls silent, and names the silence once', async () => {
    let mute = false;
    const { poller, changes } = watched(async (command) => {
      if (mute) throw new LibvirtTimeoutError('Domain.agentCommand', 4500, true);
      if (command === 'guest-get-host-name') mute = true;
      return JSON.stringify({ return: ANSWERS[command] });
    });
    poller.start();
    await until(() => changes.includes('guest-info first-round'));
    poller.expectAddress();
    await until(() => changes.some((change) => change.startsWith('agent-mute')));
    expect(poller.answering).toBe(false);
    expect(poller.answers.all.interfaces).toMatchObject({ state: 'stale', value: [{ name: 'eth0' }] });
    expect(poller.pulse.lastError).toMatch(/no answer/);
    poller.noteSuccess();
    expect(changes.at(-1)).toBe('agent-answers');
    expect(poller.answering).toBe(true);
    poller.stop();
  });

  test.each<[what: string, error: Error, state: string, alive: boolean]>([
    [
      'that it lacks',
      libvirtError(INTERNAL_ERROR, 'The command guest-get-osinfo has not been found'),
      'unsupported',
      true,
    ],
    ['that it fails', libvirtError(INTERNAL_ERROR, 'unable to execute QEMU agent command: boom'), 'never', true],
    ['on a closed channel', libvirtError(AGENT_UNRESPONSIVE, 'QEMU guest agent is not connected'), 'never', false],
  ])('counts a command %s for what it is', async (_, error, state, alive) => {
    const { poller } = watched(async (command) => {
      if (command === 'guest-info') return JSON.stringify({ return: { version: '10.0', supported_commands: [] } });
      throw error;
    });
    poller.start();
    await until(() => poller.answers.all.interfaces.error !== undefined);
    expect(poller.answers.all.interfaces.state).toBe(state);
    expect(poller.answering).toBe(alive || poller.pulse.lastFailure === undefined);
    expect(poller.pulse.lastFailure).toBeUndefined();
    poller.stop();
  });

  test('asks a frozen guest for nothing but whether it still is, and takes no command for missing meanwhile', async () => {
    let frozen = true;
    const asked: string[] = [];
    const { poller } = watched(async (command) => {
      asked.push(command);
      if (command === 'guest-fsfreeze-status') return JSON.stringify({ return: frozen ? 'frozen' : 'thawed' });
      if (command === 'guest-info') {
        const names = ['guest-fsfreeze-status', 'guest-network-get-interfaces', 'guest-get-osinfo'];
        const enabled = (name: string) => !frozen || name === 'guest-fsfreeze-status';
        const supported = names.map((name) => ({ name, enabled: enabled(name) }));
        return JSON.stringify({ return: { version: '10.0', supported_commands: supported } });
      }
      if (frozen)
        throw libvirtError(INTERNAL_ERROR, `Command ${command} has been disabled: the command is not allowed`);
      return JSON.stringify({ return: ANSWERS[command] });
    });
    poller.start();
    await until(() => poller.answers.all.fsfreeze.value === 'frozen');
    await delay(50);
    expect(asked).toEqual(['guest-info', 'guest-fsfreeze-status']);
    frozen = false;
    poller.noteFreeze('thawed');
    await until(() => poller.answers.all.os.value !== undefined);
    expect(poller.answers.all.interfaces.state).toBe('ok');
    poller.stop();
  });

  test('asks nothing while it is held', async () => {
    let asked = 0;
    const { poller } = watched(async (command) => {
      asked += 1;
      return JSON.stringify({ return: ANSWERS[command] ?? {} });
    });
    const release = poller.hold();
    poller.start();
    await delay(50);
    expect(asked).toBe(0);
    release();
    await until(() => asked > 0);
    poller.stop();
  });
});
