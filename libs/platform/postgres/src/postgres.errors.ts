import { defineRefusals, isRefusal } from '#kernel';

export const refuseDatabase = defineRefusals({
  DATA_DIR_HELD: {
    kind: 'unavailable',
    message: 'The data folder is in use by another process.',
    hint: 'Stop that process, or set DATA_DIR to another folder.',
  },
  DATABASE_UNAVAILABLE: {
    kind: 'unavailable',
    message: 'The database cannot be reached.',
    hint: 'Try again in a moment; repeating the same request is safe.',
  },
  NESTED_TRANSACTION: {
    kind: 'internal',
    message: 'The database was used inside a transaction without going through it.',
    hint: 'Inside a transaction, await only the transaction that was handed in.',
  },
});

/**
 * SQLSTATE classes and socket errors that mean "not now", not "wrong": the connection, a full disk or memory, an operator,
 * the system below; of the rollbacks, the deadlock and the lost race.
 */
const AWAY =
  /^(08|53|57|58|40001$|40P01$)|^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH)$/;
const AWAY_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'the database system is',
];

/** Turns a driver's "cannot reach it" into the refusal everyone understands; leaves any other error as it is. */
export function asDatabaseError(error: unknown): unknown {
  if (isRefusal(error) || !(error instanceof Error)) return error;
  const code = (error as { code?: unknown }).code;
  const away =
    (typeof code === 'string' && AWAY.test(code)) || AWAY_MESSAGES.some((text) => error.message.includes(text));
  return away ? refuseDatabase('DATABASE_UNAVAILABLE', {}, undefined, error) : error;
}
