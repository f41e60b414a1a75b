import { COMPUTE_CONTAINER, isOnNode, LABELS, type Pod, type VirtualMachineInstance } from '@yagura/api';

/** The launcher's image in the status, and the label of an instance whose launcher is not of the installed one. */
export function withLauncherImage(
  vmi: VirtualMachineInstance,
  pod: Pod | undefined,
  installed: string,
): VirtualMachineInstance {
  if (!isOnNode(vmi)) return vmi;
  const image = vmi.status?.launcherContainerImageVersion ?? computeImage(pod);
  if (image === undefined) return vmi;
  const named = vmi.status?.launcherContainerImageVersion
    ? vmi
    : { ...vmi, status: { ...vmi.status, launcherContainerImageVersion: image } };
  const labelled = vmi.metadata.labels?.[LABELS.outdatedLauncherImage] !== undefined;
  if (labelled === (image !== installed)) return named;
  const { [LABELS.outdatedLauncherImage]: _, ...others } = vmi.metadata.labels ?? {};
  const labels = labelled ? others : { ...others, [LABELS.outdatedLauncherImage]: '' };
  return { ...named, metadata: { ...vmi.metadata, labels } };
}

/** A run that is over has no launcher. */
export function withoutLauncherImage(vmi: VirtualMachineInstance): VirtualMachineInstance {
  const { [LABELS.outdatedLauncherImage]: label, ...labels } = vmi.metadata.labels ?? {};
  const { launcherContainerImageVersion: image, ...status } = vmi.status ?? {};
  if (label === undefined && image === undefined) return vmi;
  return { ...vmi, metadata: label === undefined ? vmi.metadata : { ...vmi.metadata, labels }, status };
}

function computeImage(pod: Pod | undefined): string | undefined {
  return pod?.spec.containers.find(({ name }) => name === COMPUTE_CONTAINER)?.image;
}
