import { LibvirtError, LibvirtTimeoutError } from '@yagura/libvirt';
import { ERROR_CODES, ERROR_DOMAINS } from '../../../../libs/libvirt/src/error-codes.ts';
import { NotConnectedError } from '../libvirt/link.ts';
import { classify } from './failure.ts';

const failed = (code: string, message: string): LibvirtError =>
  new LibvirtError('Domain.qemuAgentCommand', {
    message,
    code: ERROR_CODES.indexOf(code as never),
    domain: ERROR_DOMAINS.indexOf('QEMU'),
    level: 2,
  });

test.each<[string, unknown, string]>([
  ['no answer in time', new LibvirtTimeoutError('Domain.qemuAgentCommand', 5000, true), 'mute'],
  ['no connection to libvirt', new NotConnectedError('no libvirt'), 'not-asked'],
  ['a closed channel', failed('AGENT_UNRESPONSIVE', 'QEMU guest agent is not connected'), 'closed'],
  ['an agent that does not answer', failed('AGENT_UNRESPONSIVE', 'Guest agent not available for now'), 'mute'],
  ['one that does not answer, since libvirt 11.2', failed('AGENT_COMMAND_TIMEOUT', 'timed out'), 'mute'],
  ['an agent out of step', failed('AGENT_UNSYNCED', 'guest agent reply out of sync'), 'mute'],
  [
    'a command it does not have',
    failed('AGENT_COMMAND_FAILED', 'The command guest-x has not been found'),
    'unsupported',
  ],
  [
    'a command that is blocked',
    failed('INTERNAL_ERROR', 'unable to execute QEMU agent command: Command guest-x has been disabled'),
    'unsupported',
  ],
  [
    'an error of its own',
    failed('AGENT_COMMAND_FAILED', 'unable to execute QEMU agent command: no such file'),
    'refused',
  ],
])('%s', (_what, error, kind) => {
  expect(classify(error)).toBe(kind);
});
