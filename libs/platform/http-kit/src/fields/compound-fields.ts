import { applyDecorators, type Type as Class } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { field, type FieldOptions } from './field.js';
import { rule } from './rule.js';
import { defined, isUuid, lengthOf } from './text-fields.js';

type Item = 'string' | 'uuid' | 'integer' | readonly string[];

export interface ListOptions extends FieldOptions<readonly (string | number)[]> {
  /** What the list holds: texts, uuids, whole numbers, or some of these words. Default: texts. */
  readonly of?: Item;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** The longest text allowed in it. */
  readonly maxLength?: number;
}

/** A list of texts, uuids, whole numbers or words. */
export function ListField(options: ListOptions): PropertyDecorator {
  const { of = 'string', minItems, maxItems, maxLength } = options;
  const schema = { type: 'array', items: itemSchema(of, maxLength), minItems, maxItems } as const;
  return field('list', options, defined(schema), [
    ...size(options),
    rule('items', `must hold only ${itemWords(of, maxLength)}`, (value) =>
      asList(value).every((item) => fits(item, of, maxLength)),
    ),
  ]);
}

export interface ManyOptions extends FieldOptions<readonly unknown[]> {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** An object of another class, or with `many` a list of them. */
export function NestedField(type: () => Class, options: FieldOptions & { many?: false }): PropertyDecorator;
export function NestedField(type: () => Class, options: ManyOptions & { many: true }): PropertyDecorator;
export function NestedField(
  type: () => Class,
  options: (FieldOptions & { many?: false }) | (ManyOptions & { many: true }),
): PropertyDecorator {
  const nested = applyDecorators(Type(type), ValidateNested());
  // Swagger takes a function for one that gives the class only when its name is "type".
  const lazy = { type: () => type() };
  if (options.many) {
    const { minItems, maxItems } = options;
    return field('other', options, defined({ ...lazy, isArray: true, minItems, maxItems }), [
      ...size(options),
      rule('objects', 'must hold only objects', (value) => asList(value).every(isObject)),
      nested,
    ]);
  }
  return field('other', options, lazy, [rule('isObject', 'must be an object', isObject), nested]);
}

/** An open JSON object: its inside is the caller's own. */
export function ObjectField(options: FieldOptions<Readonly<Record<string, unknown>>>): PropertyDecorator {
  return field('other', options, { type: 'object', additionalProperties: true }, [
    rule('isObject', 'must be an object', isObject),
  ]);
}

function size({ minItems, maxItems }: { minItems?: number; maxItems?: number }): PropertyDecorator[] {
  const rules = [rule('isList', 'must be a list', Array.isArray)];
  if (minItems !== undefined) {
    rules.push(rule('minItems', `must hold at least ${minItems}`, (value) => asList(value).length >= minItems));
  }
  if (maxItems !== undefined) {
    rules.push(rule('maxItems', `must hold at most ${maxItems}`, (value) => asList(value).length <= maxItems));
  }
  return rules;
}

function itemSchema(of: Item, maxLength?: number) {
  if (typeof of === 'object') return { type: 'string', enum: [...of] };
  if (of === 'uuid') return { type: 'string', format: 'uuid' };
  if (of === 'integer') return { type: 'integer' };
  return defined({ type: 'string', maxLength });
}

function itemWords(of: Item, maxLength?: number): string {
  if (typeof of === 'object') return of.join(', ');
  if (of === 'uuid') return 'uuids';
  if (of === 'integer') return 'whole numbers';
  return maxLength === undefined ? 'texts' : `texts of at most ${maxLength} characters`;
}

function fits(item: unknown, of: Item, maxLength = Infinity): boolean {
  if (of === 'integer') return Number.isSafeInteger(item);
  if (of === 'uuid') return isUuid(item);
  if (typeof item !== 'string') return false;
  return typeof of === 'object' ? of.includes(item) : lengthOf(item) <= maxLength;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
