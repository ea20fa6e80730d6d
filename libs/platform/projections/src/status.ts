import type { Position } from '#platform/eventlog';

export interface Lag {
  /** Events after the checkpoint, counted up to 10,000. */
  readonly events: number;
  /** Age of the oldest of them. */
  readonly seconds: number;
}

export interface RebuildProgress {
  readonly version: number;
  readonly processed: number;
  readonly total: number;
}

/** How a projection does. */
export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  readonly lag: Lag;
  readonly parked: number;
  /** `idle`: no process looks after it. `failing`: its last batch could not be written; it is being tried again. */
  readonly state: 'running' | 'rebuilding' | 'failing' | 'idle';
  readonly rebuild?: RebuildProgress;
  readonly error?: string;
}

/** How two builds compared at one position, and what came of the rebuild. */
export interface RebuildReport {
  readonly name: string;
  readonly version: number;
  readonly previous: number;
  readonly position: Position;
  readonly events: number;
  readonly seconds: number;
  readonly tables: readonly TableComparison[];
  /** True when every row both builds declare is the same. */
  readonly identical: boolean;
}

export interface TableComparison {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly onlyBefore: number;
  readonly onlyAfter: number;
  readonly changed: number;
}

/** An event a projection or reactor could not take in. */
export interface ParkedEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly type: string;
  readonly error: string;
  /** True for an event that only waits behind a parked one of its stream. */
  readonly behind: boolean;
  readonly attempts: number;
  readonly parkedAt: Date;
}
