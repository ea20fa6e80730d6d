/** Rows of one statement. */
export interface Rows<Row> {
  readonly rows: Row[];
  readonly rowCount: number;
}

export type SqlValue = string | number | bigint | boolean | null | Date | Buffer | readonly SqlValue[];

/** Something that runs SQL: a database, or one transaction in it. */
export interface Sql {
  query<Row extends object = Record<string, unknown>>(text: string, values?: readonly SqlValue[]): Promise<Rows<Row>>;
}

/** Who goes first where there is only one session. */
export const PRIORITIES = ['append', 'read', 'projection', 'maintenance'] as const;
export type Priority = (typeof PRIORITIES)[number];

/**
 * A Postgres: embedded (one session in a worker thread, work queued by priority) or a server (a pool).
 * Out of reach, it throws the refusal DATABASE_UNAVAILABLE.
 */
export interface Database extends Sql {
  readonly engine: 'embedded' | 'server';
  /** A view of the same database whose work is queued at this priority. The default is 'read'. */
  at(priority: Priority): Database;
  /**
   * Runs the body in one transaction; rolls back when it throws. The body awaits only `tx`: using the database itself
   * inside throws NESTED_TRANSACTION, because with one session it would wait for itself.
   */
  transaction<T>(body: (tx: Sql) => Promise<T>): Promise<T>;
  /** Throws NESTED_TRANSACTION inside a transaction's body: for work that is taken in here and done by somebody else. */
  checkFree(): void;
  /**
   * Calls back whenever any process notifies the channel, reconnecting by itself; the function it gives ends that.
   * The embedded engine has no other process: it never calls back.
   */
  listen(channel: string, notified: () => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
