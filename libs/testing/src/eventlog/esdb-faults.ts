/** How the double can misbehave in a write. */
export type EsdbFault =
  /** All connections break; nothing was written. */
  | 'drop before'
  /** It is written; then all connections break instead of an answer. */
  | 'drop after'
  /** No answer in time; nothing was written. */
  | 'deadline before'
  /** It is written; no answer in time. */
  | 'deadline after'
  /** The engine gives up waiting for its followers: it may or may not be written, and here it is. */
  | 'timeout after'
  | 'not leader'
  | 'bad credentials'
  | 'no permission';

/** What to do wrong next, in order. */
export class EsdbFaults {
  private readonly writes: EsdbFault[] = [];
  private readonly reads: EsdbFault[] = [];

  nextWrites(...faults: readonly EsdbFault[]): void {
    this.writes.push(...faults);
  }

  nextReads(...faults: readonly EsdbFault[]): void {
    this.reads.push(...faults);
  }

  takeWrite(): EsdbFault | undefined {
    return this.writes.shift();
  }

  takeRead(): EsdbFault | undefined {
    return this.reads.shift();
  }

  /** True once everything asked for has happened. */
  get spent(): boolean {
    return this.writes.length + this.reads.length === 0;
  }
}
