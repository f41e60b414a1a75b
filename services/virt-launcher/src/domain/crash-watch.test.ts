import type { DomainEvent } from '@yagura/libvirt';
import { CrashWatch, isPanic } from './crash-watch.ts';

const lifecycle = (event: 'stopped' | 'crashed', detail: string) =>
  ({ type: 'lifecycle', domain: { name: 'd', uuid: 'u', id: 1 }, event, detail }) as DomainEvent;

describe('how a crash came about', () => {
  test('is known when the domain was seen running and its end was heard over the same connection', () => {
    const watch = new CrashWatch();
    watch.noteActive();
    watch.noteEvent(lifecycle('stopped', 'crashed'));
    expect([watch.isToCome(), watch.heardAll]).toEqual([false, true]);
  });

  test('is waited for once when the state was quicker than the event', () => {
    const watch = new CrashWatch();
    watch.noteActive();
    expect([watch.isToCome(), watch.isToCome(), watch.heardAll]).toEqual([true, false, false]);
  });

  test('is not known, nor waited for, after a connection that is new', () => {
    const watch = new CrashWatch();
    watch.noteActive();
    watch.noteConnection();
    watch.noteEvent(lifecycle('stopped', 'crashed'));
    expect([watch.isToCome(), watch.heardAll]).toEqual([false, false]);
  });

  test('is a panic only by the word of libvirt', () => {
    expect([lifecycle('crashed', 'panicked'), lifecycle('stopped', 'crashed')].map(isPanic)).toEqual([true, false]);
  });
});
