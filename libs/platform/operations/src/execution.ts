import type { Caller } from '#kernel';
import type { EventContext, Position } from '#platform/eventlog';

/** What the outside says about a request, beside the operation itself. */
export interface OperationRequest {
  readonly requestId?: string;
  /** Aborts when whoever asked has gone. */
  readonly signal?: AbortSignal;
  /** A query answers no earlier than this position, if it can. */
  readonly after?: Position;
  /** Told when the operation is over, well or not: the surface reads position and staleness from it. */
  readonly finished?: (execution: Execution) => void;
}

/** One run of one operation: its identity, its time, its deadline. */
export class Execution {
  /** Where the log stood after this command's append (set by its handler), or where a query's read was at least. */
  position?: Position;
  /** True when the read models had not reached the position asked for within the time allowed. */
  stale = false;

  constructor(
    readonly id: string,
    readonly operation: string,
    readonly caller: Caller,
    readonly requestId: string,
    readonly at: Date,
    /** Aborts at the deadline and when whoever asked has gone. */
    readonly signal: AbortSignal,
    readonly after?: Position,
  ) {}

  /** What every event of this execution carries. */
  context(): EventContext {
    return {
      caller: this.caller,
      correlationId: this.requestId,
      executionId: this.id,
      operation: this.operation,
      at: this.at,
    };
  }
}
