export * from './execution.js';
export * from './operation.errors.js';
export * from './operation.js';
export * from './operations.js';
export * from './operations.module.js';
export * from './permissions.js';
export * from './read-models.js';
