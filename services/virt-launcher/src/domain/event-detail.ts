import type { DomainEvent } from '@yagura/libvirt';

/** An event's own words, e.g. "stopped crashed". */
export function detailOf(event: DomainEvent): string {
  switch (event.type) {
    case 'lifecycle':
      return `${event.event} ${event.detail}`;
    case 'agent-lifecycle':
      return `${event.state} ${event.reason}`;
    case 'io-error':
      return `${event.device} ${event.action} ${event.reason}`.trim();
    case 'watchdog':
      return event.action;
    case 'device-added':
    case 'device-removed':
    case 'device-removal-failed':
      return event.device;
    case 'memory-device-size-change':
      return `${event.device} ${event.size} KiB`;
    default:
      return '';
  }
}
