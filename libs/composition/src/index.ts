export * from './audit.js';
export * from './contracts.js';
export * from './create-app.js';
export * from './engines.js';
export * from './routes.js';
export { sentenceFor } from './start-failure.js';
