import { EventLog1763400000001 } from './0001-event-log.js';
import { Projections1763400000002 } from './0002-projections.js';
import { KeysAndSnapshots1763400000003 } from './0003-keys-and-snapshots.js';

/** Every migration, in order. Forward only once released. */
export const migrations = [EventLog1763400000001, Projections1763400000002, KeysAndSnapshots1763400000003];
