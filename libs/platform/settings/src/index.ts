export * from './program-version.js';
export * from './settings.js';
export * from './settings.errors.js';
