export * from './create-app.js';
export * from './engines.js';
