export * from './injection.js';
export * from './logger.js';
export * from './metrics.js';
export * from './nest-logger.js';
