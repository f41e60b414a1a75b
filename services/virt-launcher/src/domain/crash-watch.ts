import type { DomainEvent } from '@yagura/libvirt';

/**
 * What libvirt's events tell of a crash and its state does not: a guest that panicked is destroyed by libvirt, and shows
 * the same state as one whose QEMU died by itself.
 */
export class CrashWatch {
  #listening = false;
  #stopHeard = false;
  #waited = false;

  /** Events may have been missed. */
  noteConnection(): void {
    this.#listening = false;
  }

  /** The domain was seen running over the connection of now: whatever happens to it from here on is heard. */
  noteActive(): void {
    this.#listening = true;
  }

  noteEvent(event: DomainEvent): void {
    if (event.type === 'lifecycle' && event.event === 'stopped') this.#stopHeard = true;
  }

  /** Whether the state of the end is here before the events that explain it; says so once, the next look takes what is known. */
  isToCome(): boolean {
    if (!this.#listening || this.#stopHeard || this.#waited) return false;
    this.#waited = true;
    return true;
  }

  /** Whether everything that happened to the domain was heard. */
  get heardAll(): boolean {
    return this.#listening && this.#stopHeard;
  }
}

/** The guest's kernel has told its panic device that it can go on no more. */
export function isPanic(event: DomainEvent): boolean {
  return event.type === 'lifecycle' && event.event === 'crashed' && event.detail === 'panicked';
}
