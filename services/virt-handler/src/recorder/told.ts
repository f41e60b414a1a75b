import type { DomainEvent } from '@yagura/contracts';
import type { EventRecorder, EventSubject } from '@yagura/kube';
import type { RecordedEvent } from '@yagura/layers/timeline';

type Events = Pick<EventRecorder, 'normal' | 'warning'>;

/** What the launcher tells of itself; all else it passes on from libvirt. */
const OF_LAUNCHER =
  /^(?:daemon-|devices-changed|monitor-|agent-mute|agent-answers|guest-|access-credentials|probes-suspended)/;
const OF_GUEST = /^(?:agent-|guest-|access-credentials|probes-)/;
/** Only says that an answer of the agent has changed; the change itself is recorded. */
const ANNOUNCEMENT = 'guest-info';

/** A launcher's event as one of the timeline; undefined for one that adds nothing to it. */
export function domainEvent({ type, detail }: Pick<DomainEvent, 'type' | 'detail'>): RecordedEvent | undefined {
  if (type === ANNOUNCEMENT) return undefined;
  return {
    layer: OF_GUEST.test(type) ? 'guest' : 'domain',
    field: type,
    source: OF_LAUNCHER.test(type) ? 'virt-launcher' : 'libvirt',
    message: detail,
  };
}

/** Kubernetes events of this virt-handler, which the timeline takes too. */
export function alsoTold(events: Events, tell: (uid: string, event: RecordedEvent) => void): Events {
  const also = ({ uid }: EventSubject, field: string, message: string, warning?: true) => {
    if (uid !== undefined) tell(uid, { layer: 'kubernetes', field, source: 'virt-handler', message, warning });
  };
  return {
    normal: (subject, reason, message) => {
      events.normal(subject, reason, message);
      also(subject, reason, message);
    },
    warning: (subject, reason, message) => {
      events.warning(subject, reason, message);
      also(subject, reason, message, true);
    },
  };
}
