export * from './event-log.js';
export * from './event-log.errors.js';
export * from './position.js';
