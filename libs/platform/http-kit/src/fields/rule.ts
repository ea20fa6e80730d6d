import { ValidateBy } from 'class-validator';

/** One check with its own sentence. `must` completes "<field> …". */
export function rule(name: string, must: string, holds: (value: unknown) => boolean): PropertyDecorator {
  return ValidateBy({ name, validator: { validate: (value: unknown) => holds(value), defaultMessage: () => must } });
}
