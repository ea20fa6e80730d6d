import { field, type FieldOptions } from './field.js';
import { rule } from './rule.js';

export interface StringOptions extends FieldOptions<string> {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  /** A word of JSON Schema for what the text is: uri, date-time, … A label, not a rule. */
  readonly format?: string;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** A text. */
export function StringField(options: StringOptions): PropertyDecorator {
  const { minLength, maxLength, pattern, format } = options;
  const rules = [rule('isString', 'must be a text', isText)];
  if (minLength !== undefined) {
    const must = minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`;
    rules.push(rule('minLength', must, (value) => isText(value) && lengthOf(value) >= minLength));
  }
  if (maxLength !== undefined) {
    const must = `must have at most ${maxLength} characters`;
    rules.push(rule('maxLength', must, (value) => isText(value) && lengthOf(value) <= maxLength));
  }
  if (pattern) {
    rules.push(rule('matches', `must match ${pattern.source}`, (value) => isText(value) && pattern.test(value)));
  }
  const schema = { type: 'string', minLength, maxLength, pattern: pattern?.source, format } as const;
  return field('text', options, defined(schema), rules);
}

/** Counts characters as JSON Schema does: one that takes two units of UTF-16 is one. */
export function lengthOf(text: string): number {
  return text.length - (text.match(/[\u{10000}-\u{10FFFF}]/gu)?.length ?? 0);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for the text of a uuid, any version. */
export function isUuid(value: unknown): value is string {
  return isText(value) && UUID.test(value);
}

/** A uuid, any version. */
export function UuidField(options: FieldOptions<string>): PropertyDecorator {
  return field('text', options, { type: 'string', format: 'uuid' }, [rule('isUuid', 'must be a uuid', isUuid)]);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** A moment in ISO 8601 with its offset, kept as text. */
export function DateField(options: FieldOptions<string>): PropertyDecorator {
  return field('text', options, { type: 'string', format: 'date-time' }, [
    rule(
      'isInstant',
      'must be a date and time in ISO 8601 with an offset, such as 2026-01-31T12:00:00Z',
      (value) => isText(value) && INSTANT.test(value) && !Number.isNaN(Date.parse(value)),
    ),
  ]);
}

/** One of a few words. */
export function EnumField<T extends string>(values: readonly T[], options: FieldOptions<T>): PropertyDecorator {
  return field('text', options, { type: 'string', enum: [...values] }, [
    rule('isEnum', `must be one of ${values.join(', ')}`, (value) => isText(value) && values.includes(value as T)),
  ]);
}

/** The same object without its undefined entries, which JSON Schema does not know. */
export function defined<T extends object>(schema: T): T {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined)) as T;
}
