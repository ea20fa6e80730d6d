import { Signal, START, type EventStore, type Position } from '#platform/eventlog';
import type { Database } from '#platform/postgres';
import {
  beginBuild,
  buildsOf,
  dropBuild,
  ensureLive,
  pointViews,
  progressOf,
  saveReport,
  setState,
  type Build,
} from './builds.js';
import { compareBuilds } from './comparison.js';
import { fence, type Lease } from './lease.js';
import { refuseProjection } from './projection.errors.js';
import type { Projection } from './projection.js';
import { Projector } from './projector.js';
import { answerRequests, type Action } from './requests.js';
import type { RebuildProgress, RebuildReport } from './status.js';

const LOOK_MS = 500;
const NEAR = 200;
const ROUNDS = 10;

/** Looks after one projection while this process holds its lease: follows, rebuilds, switches, rolls back, replays. */
export class ProjectionKeeper {
  private live?: Projector;
  private building?: Projector;
  private lease?: Lease;
  /** Ends what the live projector does now, so that it can stand still or be replaced. */
  private pause = new AbortController();
  /** Work that needs the live projector to stand still, one after the other. */
  private still: Promise<unknown> = Promise.resolve();
  private standing = 0;
  private readonly changed = new Signal();

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    readonly projection: Projection,
    private readonly asked: Signal,
  ) {}

  /** The live build's checkpoint, while this process looks after it. */
  get position(): Position | undefined {
    return this.live?.position;
  }

  get failure(): string | undefined {
    return this.live?.failure ?? this.building?.failure;
  }

  get progress(): RebuildProgress | undefined {
    return this.building && progressOf(this.building.build, this.building.position);
  }

  /** Resolves when the live checkpoint may have reached the position, or the time is over. */
  async moved(position: Position, ms: number): Promise<void> {
    this.live?.hurryTo(position);
    const signal = this.live?.moved ?? this.changed;
    const seen = signal.count;
    if ((this.position ?? START) < position) await signal.after(seen, Math.min(ms, LOOK_MS));
  }

  /** The keeper's duty. */
  readonly serve = async (lease: Lease, signal: AbortSignal): Promise<void> => {
    this.lease = lease;
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, failed.signal]);
    try {
      this.live = this.projector(await ensureLive(this.database, this.projection));
      await this.resume();
      const tasks = [this.keepLive(stop), this.keepBuilding(stop), this.keepAnswering(stop)];
      for (const task of tasks) task.catch(() => failed.abort());
      await Promise.allSettled(tasks);
      await Promise.all(tasks);
    } finally {
      this.live = undefined;
      this.building = undefined;
    }
  };

  /** Goes on with a rebuild that a stop interrupted, and begins one when the code has changed since the live build. */
  private async resume(): Promise<void> {
    const builds = await buildsOf(this.database, this.projection.name);
    const unfinished = builds.find((build) => build.state === 'building');
    if (unfinished?.fold === this.projection.version) {
      this.building = this.projector(unfinished);
      return;
    }
    if (unfinished) await this.fenced((tx) => dropBuild(tx, unfinished));
    if (this.live?.build.fold !== this.projection.version) await this.beginRebuild();
  }

  private async keepLive(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.still;
      if (this.standing > 0) continue;
      this.pause = new AbortController();
      const live = this.current();
      // Tables of another fold cannot take this code's rows: they stay readable as they are until the rebuild is done.
      if (live.build.fold === this.projection.version) await live.follow(AbortSignal.any([signal, this.pause.signal]));
      else await this.changed.after(this.changed.count, LOOK_MS, signal);
    }
  }

  private async keepBuilding(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.building) await this.finish(this.building, signal);
      else await this.changed.after(this.changed.count, LOOK_MS, signal);
    }
  }

  private async keepAnswering(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const seen = this.asked.count;
      await answerRequests(this.database, this.projection.name, this.carryOut);
      await this.asked.after(seen, LOOK_MS, signal);
    }
  }

  private readonly carryOut = async (action: Action, argument: Record<string, unknown>): Promise<unknown> => {
    switch (action) {
      case 'rebuild':
        if (this.building) throw refuseProjection('REBUILD_RUNNING', { version: this.building.build.version });
        return { version: (await this.beginRebuild()).version };
      case 'rollback':
        return { version: await this.rollback() };
      case 'replay':
        return this.standingStill(() => this.current().replay(argument['eventId'] as string | undefined));
    }
  };

  private async beginRebuild(): Promise<Build> {
    const { log } = this.store;
    const goal = { position: await log.head(), events: await log.countAfter(START, Number.MAX_SAFE_INTEGER) };
    const build = await this.fenced((tx) => beginBuild(tx, this.projection, 'building', goal));
    this.building = this.projector(build);
    this.changed.fire();
    return build;
  }

  /** Catches up beside the live build; then both stand still at one position, are compared, and change places. */
  private async finish(made: Projector, signal: AbortSignal): Promise<void> {
    const started = Date.now();
    await this.comeNear(made, signal);
    if (signal.aborted) return;
    await this.standingStill(async () => {
      const live = this.current();
      const position = [live.position, made.position].sort().at(-1) ?? live.position;
      await made.advanceTo(position, signal);
      if (live.build.fold === this.projection.version) await live.advanceTo(position, signal);
      if (signal.aborted) return;
      const tables = await compareBuilds(this.database, this.projection, live.build, made.build);
      const report: RebuildReport = {
        name: this.projection.name,
        version: made.build.version,
        previous: live.build.version,
        position,
        events: made.processed,
        seconds: (Date.now() - started) / 1_000,
        tables,
        identical: tables.every((table) => table.onlyBefore + table.onlyAfter + table.changed === 0),
      };
      await this.switchTo(made.build, live.build, report);
      this.live = made;
      this.building = undefined;
    });
  }

  /** Reads on until little is left to do while standing still. Writers may be faster for ever: then that must do. */
  private async comeNear(made: Projector, signal: AbortSignal): Promise<void> {
    for (let round = 0; round < ROUNDS && !signal.aborted; round += 1) {
      await made.advanceTo(await this.store.log.head(), signal);
      if ((await this.store.log.countAfter(made.position, NEAR)) < NEAR) return;
    }
  }

  private async switchTo(made: Build, live: Build, report: RebuildReport): Promise<void> {
    await this.fenced(async (tx) => {
      for (const build of await buildsOf(tx, made.name)) if (build.state === 'previous') await dropBuild(tx, build);
      await setState(tx, live, 'previous');
      await setState(tx, made, 'live');
      await pointViews(tx, this.projection, made);
      await saveReport(tx, made, report);
    });
  }

  private async rollback(): Promise<number> {
    if (this.building) throw refuseProjection('REBUILD_RUNNING', { version: this.building.build.version });
    const live = this.current().build;
    return this.standingStill(async () => {
      const previous = (await buildsOf(this.database, live.name)).find((build) => build.state === 'previous');
      if (!previous) throw refuseProjection('NOTHING_TO_ROLL_BACK_TO', { name: live.name });
      if (previous.fold !== this.projection.version) {
        throw refuseProjection('ROLLBACK_NEEDS_OLD_CODE', { made_by: previous.fold, running: this.projection.version });
      }
      await this.fenced(async (tx) => {
        await setState(tx, live, 'previous');
        await setState(tx, previous, 'live');
        await pointViews(tx, this.projection, previous);
      });
      this.live = this.projector(previous);
      return previous.version;
    });
  }

  /** Runs the work while the live projector takes in nothing; afterwards it goes on, or its successor does. */
  private async standingStill<T>(work: () => Promise<T>): Promise<T> {
    this.standing += 1;
    const turn = this.still.then(async () => {
      this.pause.abort();
      await this.live?.settled();
      return work();
    });
    this.still = turn.then(
      () => (this.standing -= 1),
      () => (this.standing -= 1),
    );
    try {
      return await turn;
    } finally {
      this.changed.fire();
    }
  }

  private current(): Projector {
    if (!this.live) throw refuseProjection('PROJECTION_IDLE', { name: this.projection.name });
    return this.live;
  }

  private projector(build: Build): Projector {
    if (!this.lease) throw refuseProjection('PROJECTION_IDLE', { name: this.projection.name });
    return new Projector(this.database, this.store, this.projection, build, this.lease);
  }

  private fenced<T>(body: Parameters<typeof this.database.transaction<T>>[0]): Promise<T> {
    return this.database.transaction(async (tx) => {
      if (this.lease) await fence(tx, this.lease);
      return body(tx);
    });
  }
}
