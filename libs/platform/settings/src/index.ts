export * from './settings.js';
export * from './settings.errors.js';
