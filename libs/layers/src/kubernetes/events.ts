import type { Sample } from '../observation.ts';
import { sample, toDate, unanswered } from './samples.ts';
import type { EventView, KubernetesView } from './view.ts';

/** Reasons shown, the newest first. */
const SHOWN = 12;
const MESSAGE_LENGTH = 200;
const OWNERS: Record<string, string> = {
  VirtualMachine: 'vm',
  VirtualMachineInstance: 'vmi',
  Pod: 'pod',
  PersistentVolumeClaim: 'pvc',
};

/**
 * What was told by events, one observation a kind of object and reason: the last words, and how often in all. An event
 * is of the past, so it is as old as it is, and never stale.
 */
export function eventSamples({ events }: KubernetesView, readAt: Date): Sample[] {
  if (events === undefined) return [];
  if (events.found === undefined)
    return events.error === undefined ? [] : [unanswered('events', 'Event', events.error)];
  const alike = Map.groupBy(newestFirst(events.found), ({ involvedObject, reason }) => {
    const kind = involvedObject?.kind ?? '';
    return `event.${OWNERS[kind] ?? kind.toLowerCase()}.${reason ?? ''}`;
  });
  const shown = [...alike].slice(0, SHOWN);
  return [
    ...shown.flatMap(([field, [last, ...others]]) =>
      last === undefined ? [] : [eventSample(field, last, [last, ...others], readAt)],
    ),
    ...(alike.size > SHOWN ? [sample('events', `${SHOWN} of ${alike.size}`, 'Event', readAt)] : []),
  ];
}

function eventSample(field: string, last: EventView, all: EventView[], readAt: Date): Sample {
  const count = all.reduce((sum, event) => sum + Math.max(1, event.series?.count ?? event.count ?? 1), 0);
  const times = count > 1 ? ` (${count} times)` : '';
  const message = last.message ?? '';
  const words = message.length > MESSAGE_LENGTH ? `${message.slice(0, MESSAGE_LENGTH)}…` : message;
  const by = last.reportingComponent || last.source?.component;
  return {
    ...sample(field, `${last.type ?? 'Normal'}${times}: ${words}`, by ? `Event (${by})` : 'Event', readAt),
    observedAt: lastSeen(last),
    maxAge: null,
  };
}

export function newestFirst(events: readonly EventView[]): EventView[] {
  const time = (event: EventView) => lastSeen(event)?.getTime() ?? 0;
  return [...events].sort((a, b) => time(b) - time(a));
}

function lastSeen(event: EventView): Date | undefined {
  return toDate(
    event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata?.creationTimestamp,
  );
}
