import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock, type Clock } from '#kernel';
import { Signal, type EventStore, type Position } from '#platform/eventlog';
import type { Database } from '#platform/postgres';
import { buildsOf, progressOf, type Build } from './builds.js';
import { Keeper } from './keeper.js';
import { parkedOf } from './parking.js';
import { ProjectionKeeper } from './projection-keeper.js';
import { refuseProjection } from './projection.errors.js';
import type { Projection } from './projection.js';
import { ReactorKeeper } from './reactor-keeper.js';
import type { Reactor } from './reactor.js';
import { ask } from './requests.js';
import type { ParkedEvent, ProjectionStatus, RebuildReport } from './status.js';

const COUNTED = 10_000;
const LOOK_MS = 25;
const REBUILT_LOOK_MS = 100;

export interface ProjectionHostParts {
  readonly database: Database;
  readonly store: EventStore;
  readonly projections: readonly Projection[];
  readonly reactors?: readonly Reactor[];
  readonly clock?: Clock;
  /** Told about every failure a keeper goes on after. */
  readonly onFailure?: (name: string, error: unknown) => void;
}

interface Kept {
  readonly keeper: Keeper;
  readonly work: ProjectionKeeper;
}

/** Runs the projections and reactors of this process, and speaks for all of them, whichever process holds them. */
export class ProjectionHost {
  private readonly database: Database;
  private readonly store: EventStore;
  private readonly clock: Clock;
  private readonly asked = new Signal();
  private readonly kept = new Map<string, Kept>();
  private readonly reactors: Keeper[];

  constructor(parts: ProjectionHostParts) {
    this.database = parts.database.at('projection');
    this.store = parts.store;
    this.clock = parts.clock ?? systemClock;
    const onFailure = parts.onFailure ?? (() => undefined);
    for (const projection of parts.projections) {
      const work = new ProjectionKeeper(this.database, this.store, projection, this.asked);
      this.kept.set(projection.name, {
        work,
        keeper: new Keeper(this.database, projection.name, work.serve, onFailure),
      });
    }
    this.reactors = (parts.reactors ?? []).map((reactor) => {
      const work = new ReactorKeeper(this.database, this.store, reactor, this.clock);
      return new Keeper(this.database, `reactor:${reactor.name}`, work.serve, onFailure);
    });
  }

  /** Begins to follow the log. Resolves once every projection has its tables and views, so that queries can run. */
  async start(): Promise<void> {
    for (const keeper of this.keepers()) keeper.start();
    for (const name of this.kept.keys()) while (!(await this.liveBuild(name))) await sleep(LOOK_MS);
  }

  /** Lets what is being written finish, and gives the leases back. */
  async stop(): Promise<void> {
    await Promise.all(this.keepers().map((keeper) => keeper.stop()));
  }

  async status(): Promise<ProjectionStatus[]> {
    return Promise.all([...this.kept.keys()].map((name) => this.statusOf(name)));
  }

  /** Starts a rebuild beside the live build; `status` shows its progress, `rebuilt` waits for its end. */
  async rebuild(name: string): Promise<{ version: number }> {
    return this.ask(name, 'rebuild');
  }

  /** The report of the newest rebuild, once it has been switched to; undefined when there was none. */
  async lastReport(name: string): Promise<RebuildReport | undefined> {
    this.find(name);
    const builds = await buildsOf(this.database, name);
    return builds.find((build) => build.report !== null)?.report ?? undefined;
  }

  /** Resolves when the rebuild that runs now is done. */
  async rebuilt(name: string): Promise<RebuildReport> {
    this.find(name);
    for (;;) {
      const [newest] = await buildsOf(this.database, name);
      if (newest && newest.state !== 'building') {
        if (newest.report) return newest.report;
        throw refuseProjection('NOTHING_TO_ROLL_BACK_TO', { name }, 'This projection has not been rebuilt yet.');
      }
      await sleep(REBUILT_LOOK_MS);
    }
  }

  /** Goes back to the build before the last rebuild; it then catches up. */
  async rollback(name: string): Promise<{ version: number }> {
    return this.ask(name, 'rollback');
  }

  async parked(name: string): Promise<ParkedEvent[]> {
    this.find(name);
    const live = await this.liveBuild(name);
    return live ? parkedOf(this.database, live) : [];
  }

  /** Tries parked events again: all of them, or those of one event's stream. */
  async replay(name: string, eventId?: string): Promise<{ replayed: number; stillParked: number }> {
    return this.ask(name, 'replay', { eventId });
  }

  /** Waits until the projections have taken in everything up to a position. False: they have not, in that time. */
  async waitFor(names: readonly string[], position: Position, timeoutMs: number): Promise<boolean> {
    const end = Date.now() + timeoutMs;
    for (const name of names) {
      const { work } = this.find(name);
      while ((await this.positionOf(name)) < position) {
        const left = end - Date.now();
        if (left <= 0) return false;
        if (work.position === undefined) await sleep(Math.min(LOOK_MS, left));
        else await work.moved(position, left);
      }
    }
    return true;
  }

  private async statusOf(name: string): Promise<ProjectionStatus> {
    const { work, keeper } = this.find(name);
    const live = await this.liveBuild(name);
    const position = await this.positionOf(name);
    const failure = work.failure ?? (keeper.active ? undefined : keeper.failure);
    const building = (await buildsOf(this.database, name)).find((build) => build.state === 'building');
    const rebuild = work.progress ?? (building && progressOf(building, building.position));
    return {
      name,
      version: live?.version ?? 0,
      position,
      lag: await this.lagAfter(position),
      parked: live ? (await parkedOf(this.database, live)).length : 0,
      state: failure ? 'failing' : rebuild ? 'rebuilding' : (await this.isHeld(name)) ? 'running' : 'idle',
      ...(rebuild ? { rebuild } : {}),
      ...(failure ? { error: failure } : {}),
    };
  }

  private async lagAfter(position: Position) {
    const events = await this.store.log.countAfter(position, COUNTED);
    if (events === 0) return { events, seconds: 0 };
    let seconds = 0;
    for await (const event of this.store.log.readAll({ after: position, limit: 1 })) {
      seconds = Math.max(0, (this.clock.now().getTime() - event.recordedAt.getTime()) / 1_000);
    }
    return { events, seconds };
  }

  private async isHeld(name: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      'select 1 from projections.leases where name = $1 and expires_at > clock_timestamp()',
      [name],
    );
    return rowCount > 0;
  }

  private async positionOf(name: string): Promise<Position> {
    return this.find(name).work.position ?? (await this.liveBuild(name))?.position ?? ('' as Position);
  }

  private async liveBuild(name: string): Promise<Build | undefined> {
    return (await buildsOf(this.database, name)).find((build) => build.state === 'live');
  }

  private async ask<T>(name: string, action: 'rebuild' | 'rollback' | 'replay', argument: object = {}): Promise<T> {
    this.find(name);
    return ask<T>(this.database, name, action, argument, () => this.asked.fire());
  }

  private find(name: string): Kept {
    const kept = this.kept.get(name);
    if (!kept) throw refuseProjection('PROJECTION_NOT_FOUND', { name, known: [...this.kept.keys()] });
    return kept;
  }

  private keepers(): Keeper[] {
    return [...[...this.kept.values()].map(({ keeper }) => keeper), ...this.reactors];
  }
}
