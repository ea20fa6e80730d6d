import { isNativeError } from 'node:util/types';
import { convertToCommandError, ErrorType, type WrongExpectedVersionError } from '@eventstore/db-client';
import { Refusal } from '#kernel';
import { refuseLog } from './event-log.errors.js';

/** gRPC statuses that the client leaves unnamed. */
const INVALID_ARGUMENT = 3;
const UNIMPLEMENTED = 12;
const UNAUTHENTICATED = 16;

/** What an error of the client means for the call that met it. */
export type Meaning =
  /** Nothing was done: another node is the leader. The client has noted which. */
  | 'elsewhere'
  /** Perhaps done, perhaps not. The same call may be made again. */
  | 'unknown'
  | 'wrong revision'
  | 'tombstoned'
  | 'missing'
  | 'too large'
  | 'not allowed'
  /** Neither the network nor the state of the log: a fault to be seen. */
  | 'fault';

const MEANINGS: Readonly<Partial<Record<string, Meaning>>> = {
  [ErrorType.NOT_LEADER]: 'elsewhere',
  [ErrorType.UNAVAILABLE]: 'unknown',
  [ErrorType.DEADLINE_EXCEEDED]: 'unknown',
  [ErrorType.TIMEOUT]: 'unknown',
  [ErrorType.CANCELLED]: 'unknown',
  [ErrorType.UNKNOWN]: 'unknown',
  [ErrorType.WRONG_EXPECTED_VERSION]: 'wrong revision',
  [ErrorType.STREAM_DELETED]: 'tombstoned',
  [ErrorType.STREAM_NOT_FOUND]: 'missing',
  [ErrorType.NO_STREAM]: 'missing',
  [ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED]: 'too large',
  [ErrorType.ACCESS_DENIED]: 'not allowed',
};

interface ClientError extends Error {
  readonly type?: ErrorType;
  readonly code?: number;
}

/** Some calls of the client give its own errors, some the transport's. */
function named(error: unknown): ClientError | undefined {
  return isNativeError(error) ? convertToCommandError(error) : undefined;
}

export function meaningOf(error: unknown): Meaning {
  const known = named(error);
  if (known === undefined || error instanceof Refusal) return 'fault';
  // Discovery of a cluster and the TLS handshake throw plain errors.
  if (known.type === undefined) return known.name === 'Error' ? 'unknown' : 'fault';
  if (known.type === ErrorType.UNKNOWN && (known.code === INVALID_ARGUMENT || known.code === UNIMPLEMENTED))
    return 'fault';
  return MEANINGS[known.type] ?? 'fault';
}

/** The revision that a wrong-revision error says the stream has. */
export function actualRevision(error: unknown): number | 'none' {
  const { actualVersion } = named(error) as WrongExpectedVersionError;
  return typeof actualVersion === 'bigint' && actualVersion >= 0n ? Number(actualVersion) : 'none';
}

/** What a caller is told once retrying is over. Faults pass as they are. */
export function toRefusal(error: unknown, hosts: string): unknown {
  const meaning = meaningOf(error);
  if (meaning === 'not allowed') return notAllowed(error, hosts);
  if (meaning !== 'unknown' && meaning !== 'elsewhere') return error;
  return refuseUnreachable(`EventStoreDB at ${hosts} cannot be reached.`, { cause: error });
}

function notAllowed(error: unknown, hosts: string): Refusal {
  const credentials = named(error)?.code === UNAUTHENTICATED;
  return refuseUnreachable(
    credentials
      ? `EventStoreDB at ${hosts} refused the credentials.`
      : `EventStoreDB at ${hosts} does not allow this to the user it was given.`,
    {
      hint: credentials
        ? 'Set a valid user and password in EVENTSTORE_URL (esdb://user:password@host) and start again.'
        : 'Give the user in EVENTSTORE_URL the right to read $all and to write, or name another user there.',
      cause: error,
    },
  );
}

/** LOG_UNAVAILABLE with a sentence of its own. */
export function refuseUnreachable(message: string, { hint, cause }: { hint?: string; cause?: unknown } = {}): Refusal {
  const spec = refuseLog.specs.LOG_UNAVAILABLE;
  return new Refusal('LOG_UNAVAILABLE', { ...spec, message, hint: hint ?? spec.hint }, {}, { cause });
}
