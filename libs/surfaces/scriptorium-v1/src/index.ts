export * from './scriptorium-v1.module.js';
export * from './scriptorium-v1.surface.js';
