import { EventLog1763400000001 } from './0001-event-log.js';

/** Every migration, in order. Forward only once released. */
export const migrations = [EventLog1763400000001];
