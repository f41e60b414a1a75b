import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  AnswerState,
  type AnswerStatusSchema,
  type GetFilesystemsResponseSchema,
  type GetGuestInfoResponseSchema,
  type GetUsersResponseSchema,
} from '@yagura/contracts';
import type { Answer, Answers } from '../agent/answers.ts';
import { present, timestamp } from './domain-message.ts';

const STATES = {
  never: AnswerState.NEVER,
  ok: AnswerState.OK,
  stale: AnswerState.STALE,
  unsupported: AnswerState.UNSUPPORTED,
} as const;

function answerStatus(answer: Answer<unknown>): MessageInitShape<typeof AnswerStatusSchema> {
  return present({
    state: STATES[answer.state],
    observedAt: timestamp(answer.observedAt),
    failedAt: timestamp(answer.failedAt),
    error: answer.error,
  });
}

export function guestInfoMessage(answers: Answers): MessageInitShape<typeof GetGuestInfoResponseSchema> {
  const { agent, hostname, os, timezone, interfaces, fsfreeze, load } = answers;
  return present({
    agentVersion: agent.value?.version,
    supportedCommands: agent.value?.commands.map(({ name, enabled }) => ({ name, enabled })),
    agentStatus: answerStatus(agent),
    hostname: hostname.value,
    hostnameStatus: answerStatus(hostname),
    os: os.value,
    osStatus: answerStatus(os),
    timezone: timezone.value,
    timezoneStatus: answerStatus(timezone),
    interfaces: interfaces.value?.map((nic) =>
      present({
        name: nic.name,
        macAddress: nic.macAddress,
        addresses: nic.addresses.map(({ address, prefixLength }) => ({ address, prefixLength })),
      }),
    ),
    interfacesStatus: answerStatus(interfaces),
    fsfreezeStatus: fsfreeze.value,
    fsfreezeAnswer: answerStatus(fsfreeze),
    load: load.value,
    loadStatus: answerStatus(load),
    users: usersMessage(answers),
    filesystems: filesystemsMessage(answers),
  });
}

export function usersMessage({ users }: Answers): MessageInitShape<typeof GetUsersResponseSchema> {
  return present({
    users: users.value?.map(({ name, domain, loginTime }) =>
      present({
        name,
        domain,
        loginTime: loginTime === undefined ? undefined : timestamp(new Date(loginTime * 1000)),
      }),
    ),
    status: answerStatus(users),
  });
}

export function filesystemsMessage({ filesystems }: Answers): MessageInitShape<typeof GetFilesystemsResponseSchema> {
  return present({
    filesystems: filesystems.value?.map((fs) =>
      present({
        diskName: fs.diskName,
        mountPoint: fs.mountPoint,
        type: fs.type,
        usedBytes: fs.usedBytes,
        totalBytes: fs.totalBytes,
        disks: fs.disks.map(({ serial, busType }) => present({ serial, busType })),
      }),
    ),
    status: answerStatus(filesystems),
  });
}
