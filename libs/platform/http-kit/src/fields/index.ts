export * from './compound-fields.js';
export * from './number-fields.js';
export * from './text-fields.js';
export type { FieldOptions } from './field.js';
