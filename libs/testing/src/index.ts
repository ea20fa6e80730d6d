export { eventLogBehaviour } from './eventlog/event-log.suite.js';
export * from './postgres/databases.js';
export { eventLogProperties } from './eventlog/event-log.properties.js';
export * from './decider-spec.js';
export * from './eventlog/in-memory-log.js';
export * from './eventlog/in-memory-keys.js';
export * from './eventlog/keyring.behaviour.js';
export * from './eventlog/snapshots.behaviour.js';
