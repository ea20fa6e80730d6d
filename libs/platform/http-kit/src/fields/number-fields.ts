import { field, type FieldOptions } from './field.js';
import { rule } from './rule.js';
import { defined } from './text-fields.js';

export interface NumberOptions extends FieldOptions<number> {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number that JavaScript holds exactly. */
export function IntField(options: NumberOptions): PropertyDecorator {
  const { min, max } = options;
  return field('integer', options, defined({ type: 'integer', minimum: min, maximum: max }), [
    rule('isInt', 'must be a whole number', Number.isSafeInteger),
    ...bounds(options),
  ]);
}

/** A number. */
export function NumberField(options: NumberOptions): PropertyDecorator {
  const { min, max } = options;
  return field('number', options, defined({ type: 'number', minimum: min, maximum: max }), [
    rule('isNumber', 'must be a number', Number.isFinite),
    ...bounds(options),
  ]);
}

/** True or false. */
export function BooleanField(options: FieldOptions<boolean>): PropertyDecorator {
  return field('boolean', options, { type: 'boolean' }, [
    rule('isBoolean', 'must be true or false', (value) => typeof value === 'boolean'),
  ]);
}

function bounds({ min, max }: NumberOptions): PropertyDecorator[] {
  const rules: PropertyDecorator[] = [];
  if (min !== undefined) rules.push(rule('min', `must be at least ${min}`, (value) => Number(value) >= min));
  if (max !== undefined) rules.push(rule('max', `must be at most ${max}`, (value) => Number(value) <= max));
  return rules;
}
