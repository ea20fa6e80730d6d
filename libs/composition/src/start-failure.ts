import { isRefusal } from '#kernel';
import { BadSetting } from '#platform/settings';

type SystemError = NodeJS.ErrnoException & { address?: string; port?: number };

const SYSTEM: Readonly<Record<string, (error: SystemError) => string | undefined>> = {
  EADDRINUSE: ({ address, port }) =>
    `Port ${port ?? ''} on ${address ?? 'this machine'} is in use: stop what listens there, or set PORT to another one.`,
  EADDRNOTAVAIL: ({ address }) =>
    `The address ${address ?? ''} is not one of this machine's: set HOST to one that is, such as 127.0.0.1.`,
  ENOTFOUND: () => 'The address in HOST does not resolve: set HOST to one that does, such as 127.0.0.1.',
  EACCES: ({ path, port }) =>
    port === undefined
      ? `${path ?? 'A file'} may not be used by this user: change its owner, or set DATA_DIR to another folder.`
      : `Port ${port} may not be used by this user: set PORT to one above 1023.`,
  ENOSPC: () => 'The disk is full: free some space, or set DATA_DIR to a folder on another disk.',
  EPERM: cannotBeMade,
  ENOENT: cannotBeMade,
  EROFS: ({ path }) =>
    `${path ?? 'The data folder'} is on a read-only disk: set DATA_DIR to a folder that can be written.`,
  EEXIST: ({ path }) => `${path ?? 'The data folder'} is a file, not a folder: set DATA_DIR to a folder.`,
  '3D000': () => 'The database that DATABASE_URL names does not exist: create it, or correct DATABASE_URL.',
  '28P01': () => 'The Postgres of DATABASE_URL does not accept that password: correct DATABASE_URL.',
  '28000': () => 'The Postgres of DATABASE_URL does not let that user in: correct DATABASE_URL.',
  '42501': () => 'The user of DATABASE_URL may not make schemas: grant it CREATE on the database.',
  ENOTDIR: ({ path }) => `${path ?? 'The data folder'} is not a folder: set DATA_DIR to a folder.`,
};

/** Refusals whose general hint is for callers, not for whoever starts the server. */
const AT_START: Readonly<Record<string, string>> = {
  DATABASE_UNAVAILABLE:
    'The database that DATABASE_URL names cannot be reached: start it, correct DATABASE_URL, or leave it out to use the embedded one.',
  LOG_UNAVAILABLE:
    'The event store that EVENTSTORE_URL names cannot be reached: start it, correct EVENTSTORE_URL, or leave it out to keep events in the database.',
};

/** The sentence that says what to do about a failed start; undefined for a fault of the program's own. */
export function sentenceFor(error: unknown): string | undefined {
  if (error instanceof BadSetting) return error.message;
  // This one names the holder and says what to do itself.
  if (isRefusal(error, 'DATA_DIR_HELD')) return error.message;
  if (isRefusal(error)) return AT_START[error.code] ?? `${error.message} ${error.hint}`;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return code === undefined ? undefined : SYSTEM[code]?.(error as NodeJS.ErrnoException);
}

/** Only of the data folder: any other file that is missing is a fault. */
function cannotBeMade({ path, syscall }: SystemError): string | undefined {
  if (syscall !== 'mkdir') return undefined;
  return `The folder ${path ?? ''} cannot be made: set DATA_DIR to one that can.`;
}
