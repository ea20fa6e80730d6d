import { setTimeout as pause } from 'node:timers/promises';
import { isRefusal, type Decider, type DomainEvent } from '#kernel';
import { subjectOf, type RecordedEvent } from './codec.js';
import type { EventContext } from './codec-metadata.js';
import { refuseRun } from './decider-runner.errors.js';
import { refuseEvent } from './event-catalog.errors.js';
import type { Appended, JsonObject } from './event-log.js';
import { eventIds, type EventStore } from './event-store.js';
import type { Position } from './position.js';
import { foldKey, type Snapshots } from './snapshots.js';

const ATTEMPTS = 5;
const PAUSE_MS = 10;

export interface DeciderRun<Command> {
  readonly stream: string;
  readonly command: Command;
  readonly context: EventContext;
  /** Worth it for streams that grow long. */
  readonly snapshots?: Snapshots;
  /** Raise it when the fold changes its meaning but not its own text, e.g. in a function it calls. */
  readonly foldVersion?: number;
  /** How often to decide before giving up with STREAM_BUSY; default 5. */
  readonly attempts?: number;
  readonly signal?: AbortSignal;
}

export interface Decided<State, Event> {
  /** What was written: nothing when nothing changed. */
  readonly events: readonly Event[];
  readonly state: State;
  readonly revision: number | 'none';
  /** Position of the last event that the state rests on; absent for an empty stream. */
  readonly position?: Position;
}

/**
 * Loads, folds, decides, and appends at the revision read. When somebody else was faster, it folds what they wrote and
 * decides again. With `deterministicIds`, an execution that has written to the stream before writes nothing more, and gets
 * the events it wrote then.
 */
export async function runDecider<State, Command, Event extends DomainEvent>(
  store: EventStore,
  decider: Decider<State, Command, Event>,
  run: DeciderRun<Command>,
): Promise<Decided<State, Event>> {
  const attempts = run.attempts ?? ATTEMPTS;
  const fold = await Fold.load(store, decider, run);
  for (let attempt = 1; ; attempt += 1) {
    run.signal?.throwIfAborted();
    if (fold.written.length > 0) return fold.result(fold.written);
    const events = decider.decide(run.command, fold.state);
    if (events.length === 0) return fold.result([]);
    const ids = eventIds(run.stream, events.length, run.context);
    try {
      fold.wrote(events, ids, await store.append(run.stream, events, fold.revision, run.context, ids, run.signal));
      return fold.result(events);
    } catch (error) {
      if (!isRefusal(error, 'WRONG_REVISION')) throw error;
      if (attempt >= attempts) throw streamBusy(run.stream, attempts, error);
    }
    if (attempt > 1) await pause(Math.random() * PAUSE_MS * attempt, undefined, { signal: run.signal });
    await fold.catchUp();
  }
}

/** One stream, folded as far as it has been read. */
class Fold<State, Command, Event extends DomainEvent> {
  state: State;
  revision: number | 'none' = 'none';
  /** What this very execution wrote before, if its ids are derived. */
  readonly written: RecordedEvent<Event>[] = [];
  private position: Position | undefined;
  private snapshotAt = -1;
  private readonly subjects = new Set<string>();

  private constructor(
    private readonly store: EventStore,
    private readonly decider: Decider<State, Command, Event>,
    private readonly run: DeciderRun<Command>,
  ) {
    this.state = decider.initial();
  }

  static async load<State, Command, Event extends DomainEvent>(
    store: EventStore,
    decider: Decider<State, Command, Event>,
    run: DeciderRun<Command>,
  ): Promise<Fold<State, Command, Event>> {
    const fold = new Fold(store, decider, run);
    const resumed = (await fold.resume()) ?? new Fold(store, decider, run);
    await resumed.catchUp();
    return resumed;
  }

  /** Folds what has come since. */
  async catchUp(): Promise<void> {
    const from = this.revision === 'none' ? 0 : this.revision + 1;
    for await (const event of this.store.read<Event>(this.run.stream, { from })) this.take(event);
  }

  wrote(events: readonly Event[], ids: readonly string[], appended: Appended): void {
    for (const event of events) {
      this.state = this.decider.evolve(this.state, event);
      const subject = subjectOf(this.store.catalog.get(event.type), event.data as JsonObject);
      if (subject !== undefined) this.subjects.add(subject);
    }
    this.revision = appended.revision;
    this.position = appended.position;
    this.offerSnapshot(appended.revision, ids.at(-1));
  }

  result(events: readonly Event[]): Decided<State, Event> {
    const { state, revision, position } = this;
    return { events, state, revision, ...(position === undefined ? {} : { position }) };
  }

  /**
   * Starts from a snapshot, if there is one that goes with the log: the event it was taken at is read again and must be
   * the same. An execution with derived ids reads everything, to find what it wrote before.
   */
  private async resume(): Promise<this | undefined> {
    const { snapshots, stream, context } = this.run;
    if (snapshots === undefined || context.deterministicIds === true) return this;
    const snapshot = await snapshots.find(stream, this.foldKey());
    if (snapshot === undefined) return this;
    const at = { from: snapshot.revision, limit: 1 };
    for await (const event of this.store.log.readStream(stream, at)) {
      if (event.id !== snapshot.eventId) break;
      this.state = snapshot.state as State;
      this.revision = snapshot.revision;
      this.position = event.position;
      this.snapshotAt = snapshot.revision;
      for (const subject of snapshot.subjects) this.subjects.add(subject);
      return this;
    }
    await snapshots.discard(stream, this.foldKey());
    return undefined;
  }

  private take(event: RecordedEvent<Event>): void {
    const { type, revision, stream } = event;
    if (!this.store.catalog.has(type)) {
      throw refuseEvent(
        'EVENT_TOO_NEW',
        { type, stream, revision },
        `${stream} has an event of the unknown type ${type}.`,
      );
    }
    this.state = this.decider.evolve(this.state, event);
    this.revision = revision;
    this.position = event.position;
    if (event.subject !== undefined) this.subjects.add(event.subject);
    const { context } = this.run;
    if (context.deterministicIds === true && event.metadata.execution_id === context.executionId)
      this.written.push(event);
  }

  private offerSnapshot(revision: number, eventId: string | undefined): void {
    const { snapshots, stream } = this.run;
    if (snapshots === undefined || eventId === undefined || revision - this.snapshotAt < snapshots.every) return;
    snapshots.offer(stream, this.foldKey(), { revision, eventId, state: this.state, subjects: [...this.subjects] });
  }

  private foldKey(): string {
    return foldKey(this.decider, this.store.catalog.fingerprint, this.run.foldVersion ?? 1);
  }
}

function streamBusy(stream: string, attempts: number, cause: unknown): Error {
  return refuseRun(
    'STREAM_BUSY',
    { stream, attempts },
    `Stream ${stream} moved on at each of ${attempts} attempts.`,
    cause,
  );
}
