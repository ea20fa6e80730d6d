export * from './caller.js';
export * from './clock.js';
export * from './decider.js';
export * from './refusal.js';
export * from './sealed.js';
