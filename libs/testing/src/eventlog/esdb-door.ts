import type { Metadata } from '@grpc/grpc-js';
import type { EsdbWritten } from './esdb-store.js';

/** What a call brings along. */
export interface EsdbCall {
  readonly metadata: Metadata;
}

/** What every call passes before the store sees it: credentials, leadership, and the faults that were asked for. */
export interface EsdbDoor {
  write(call: EsdbCall, apply: () => EsdbWritten): EsdbWritten | Error | 'silence';
  read(call: EsdbCall): Error | 'silence' | undefined;
}
