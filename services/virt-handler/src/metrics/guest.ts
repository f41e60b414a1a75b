import {
  AnswerState,
  type AnswerStatus,
  type GetFilesystemsResponse,
  type GetGuestInfoResponse,
} from '@yagura/contracts';
import { toDate } from '@yagura/layers/launcher';
import { gauge, type Series } from '@yagura/runtime/metrics';
import { figure } from './figures.ts';

const load = (span: string, time: string) =>
  gauge(
    `kubevirt_vmi_guest_load_${span}`,
    `Load of the guest over ${time}, as its agent tells it (QEMU guest agent 10.0 or newer).`,
  );

export const GUEST = {
  capacity: gauge('kubevirt_vmi_filesystem_capacity_bytes', 'Size of a file system of the guest.'),
  used: gauge('kubevirt_vmi_filesystem_used_bytes', 'Used bytes of a file system of the guest.'),
  load1: load('1m', 'a minute'),
  load5: load('5m', '5 minutes'),
  load15: load('15m', '15 minutes'),
};

/** Seconds after which an answer of the agent says nothing about now: the agent is asked at least once a minute. */
const ANSWER_MAX_AGE = 130;

function isFresh(status: AnswerStatus | undefined, now: Date): boolean {
  const observedAt = toDate(status?.observedAt);
  if (observedAt === undefined || status?.state === AnswerState.UNSUPPORTED) return false;
  return now.getTime() - observedAt.getTime() <= ANSWER_MAX_AGE * 1000;
}

/** File systems as the guest agent last told them; none once that is old. */
export function filesystemSeries(answer: GetFilesystemsResponse | undefined, now: Date): Series[] {
  if (answer === undefined || !isFresh(answer.status, now)) return [];
  // A device that is mounted twice at one place, one over the other, is one series.
  const byPlace = new Map(
    answer.filesystems.map((filesystem) => [
      `${filesystem.diskName}\0${filesystem.mountPoint}\0${filesystem.type}`,
      filesystem,
    ]),
  );
  return [...byPlace.values()].flatMap(({ diskName, mountPoint, type, totalBytes, usedBytes }) => {
    const labels = { disk_name: diskName, mount_point: mountPoint, file_system_type: type };
    return [...figure(GUEST.capacity, totalBytes, labels), ...figure(GUEST.used, usedBytes, labels)];
  });
}

/** The guest's load as its agent last told it; none once that is old. */
export function loadSeries(info: GetGuestInfoResponse | undefined, now: Date): Series[] {
  const { load, loadStatus } = info ?? {};
  if (load === undefined || !isFresh(loadStatus, now)) return [];
  return [
    ...figure(GUEST.load1, load.oneMinute),
    ...figure(GUEST.load5, load.fiveMinutes),
    ...figure(GUEST.load15, load.fifteenMinutes),
  ];
}
