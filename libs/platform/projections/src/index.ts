export * from './projection.js';
export * from './projection-host.js';
export * from './reactor.js';
export * from './status.js';
export { refuseProjection } from './projection.errors.js';
