export type * from './events.dto.js';
export type * from './projections.dto.js';
export type { ScriptoriumErrorDto } from './scriptorium-v1.errors.js';
export * from './scriptorium-v1.module.js';
export * from './scriptorium-v1.surface.js';
