import { createHash } from 'node:crypto';
import { claimNameOf, type VolumeMode } from '../claims.ts';
import type { ClusterConfig } from '../config.ts';
import type { Pod } from '../kubernetes.ts';
import { HOTPLUG_LABEL_VALUE, LABELS } from '../labels.ts';
import { DEVICES } from '../names.ts';
import type { VirtualMachineInstance, Volume } from '../types.ts';
import { attachmentDevice, attachmentDirectory, CONTAINER_DISK_HELPER } from './paths.ts';
import { podSecurityContext, RESTRICTED_CONTAINER } from './security.ts';

const NAME_DIGITS = 20;

/** Name of the pod that brings a claim to the node of a launcher; the same for the same launcher, volume and claim. */
export function attachmentPodName(launcher: Pod, volume: Volume): string {
  const parts = [launcher.metadata.uid, volume.name, claimNameOf(volume)];
  return `hp-volume-${createHash('sha256').update(parts.join('/')).digest('hex').slice(0, NAME_DIGITS)}`;
}

/**
 * A pod that does nothing but have a claim: the kubelet attaches and mounts it on the launcher's node, and virt-handler
 * brings it into the launcher's pod from there. It goes with the launcher.
 */
export function renderAttachmentPod(
  vmi: VirtualMachineInstance,
  launcher: Pod,
  volume: Volume,
  mode: VolumeMode,
  config: ClusterConfig,
  image: string,
): Pod {
  const { name } = volume;
  const readOnly = volume.persistentVolumeClaim?.readOnly === true ? { readOnly: true } : {};
  const { sysctls: _, ...security } = podSecurityContext(config);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: attachmentPodName(launcher, volume),
      namespace: vmi.metadata.namespace ?? '',
      labels: { [LABELS.app]: HOTPLUG_LABEL_VALUE, [LABELS.createdBy]: vmi.metadata.uid ?? '' },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          name: launcher.metadata.name,
          uid: launcher.metadata.uid ?? '',
          controller: true,
        },
      ],
    },
    spec: {
      // Through the scheduler, which is what a claim that waits for its first consumer listens to.
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchFields: [{ key: 'metadata.name', operator: 'In', values: [launcher.spec.nodeName ?? ''] }] },
            ],
          },
        },
      },
      tolerations: [{ operator: 'Exists' }],
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 5,
      securityContext: security,
      ...(config.imagePullSecrets.length > 0
        ? { imagePullSecrets: config.imagePullSecrets.map((secret) => ({ name: secret })) }
        : {}),
      containers: [
        {
          name: HOTPLUG_LABEL_VALUE,
          image,
          imagePullPolicy: config.imagePullPolicy,
          command: [CONTAINER_DISK_HELPER],
          resources: {
            requests: { cpu: '1m', memory: '1Mi' },
            limits: { cpu: '100m', memory: '40Mi', [DEVICES.containerDisk]: '1' },
          },
          securityContext: { ...RESTRICTED_CONTAINER, readOnlyRootFilesystem: true },
          ...(mode === 'Block'
            ? { volumeDevices: [{ name, devicePath: attachmentDevice(name) }] }
            : { volumeMounts: [{ name, mountPath: attachmentDirectory(name), ...readOnly }] }),
        },
      ],
      volumes: [{ name, persistentVolumeClaim: { claimName: claimNameOf(volume) ?? '', ...readOnly } }],
    },
  };
}
