import type { RecordedEvent } from '#platform/eventlog';

/** Something to be done at a time that came from an event. */
export interface Timer {
  /** One timer per reactor and key: setting it again moves it. */
  readonly key: string;
  readonly dueAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a reactor may use besides what it was built with. */
export interface Reaction {
  /** An id that is the same whenever this event or timer is handled again: use it for what you append. */
  id(purpose: string): string;
  schedule(timer: Timer): void;
  cancel(key: string): void;
  readonly signal: AbortSignal;
}

/**
 * Does something because of an event: a saga's step, a job, a notice. Durable and at least once: what it did may be done
 * again after a crash, so it appends with `reaction.id`. Timers and checkpoint are kept in one transaction, after the deed.
 * It never runs during a rebuild.
 */
export interface Reactor {
  readonly name: string;
  readonly handles: readonly string[];
  /** Where a new reactor begins: with history, or with what happens from now on. Default: the start. */
  readonly from?: 'start' | 'now';
  react(event: RecordedEvent, reaction: Reaction): Promise<void>;
  /** Called once a timer is due; one that fell due while nothing ran is called once, late. */
  onTimer?(timer: Timer, reaction: Reaction): Promise<void>;
}
