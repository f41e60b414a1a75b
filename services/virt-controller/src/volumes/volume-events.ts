import { REASONS, type VirtualMachineInstance, type VolumeStatus } from '@yagura/api';

export interface VolumeNews {
  warning: boolean;
  reason: string;
  message: string;
}

/** What a plugged volume waits for; what virt-handler says of it has events of its own. */
const WAITING: readonly (string | undefined)[] = [REASONS.failedPvcNotFound, 'PVCNotReady', 'MissingAttachmentPod'];

/** What became of the plugged volumes of an instance between two states of it. */
export function volumeNews(before: VirtualMachineInstance, after: VirtualMachineInstance): VolumeNews[] {
  const was = plugged(before);
  const is = plugged(after);
  const gone = was.filter(({ name }) => !is.some((volume) => volume.name === name));
  const waiting = is.filter(
    ({ name, reason }) => WAITING.includes(reason) && was.find((volume) => volume.name === name)?.reason !== reason,
  );
  return [
    ...waiting.map(({ reason = '', message = '' }) => ({
      warning: reason === REASONS.failedPvcNotFound,
      reason,
      message,
    })),
    ...gone.map(({ name }) => ({
      warning: false,
      reason: 'VolumeUnplugged',
      message: `Volume ${name} has been unplugged`,
    })),
  ];
}

function plugged({ status }: VirtualMachineInstance): VolumeStatus[] {
  return (status?.volumeStatus ?? []).filter(({ hotplugVolume }) => hotplugVolume !== undefined);
}
