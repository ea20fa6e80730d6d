import 'reflect-metadata';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Expose, Transform } from 'class-transformer';
import { ValidateIf } from 'class-validator';

/** What every field says about itself. */
export interface FieldOptions<T = unknown> {
  /** One sentence for whoever reads the API's description. */
  readonly about: string;
  /** Default true; a field with a default is never required. */
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: T;
  readonly example?: T;
}

/** How a query string's text becomes the field's value. */
export type FieldForm = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'other';

const FORMS = Symbol('field-forms');

/** The form of each field a class declares, by name. */
export function formsOf(type: abstract new (...args: never[]) => unknown): ReadonlyMap<string, FieldForm> {
  return (Reflect.getMetadata(FORMS, type.prototype as object) as Map<string, FieldForm> | undefined) ?? new Map();
}

function noteForm(form: FieldForm): PropertyDecorator {
  return (target, name) => {
    const forms = new Map(Reflect.getMetadata(FORMS, target) as Map<string, FieldForm> | undefined);
    Reflect.defineMetadata(FORMS, forms.set(String(name), form), target);
  };
}

/**
 * The base of all field decorators: the rule and its description in one, so that they cannot drift apart.
 * Absence is judged here; `rules` see only values that are there.
 */
export function field<T>(
  form: FieldForm,
  options: FieldOptions<T>,
  schema: ApiPropertyOptions,
  rules: readonly PropertyDecorator[],
): PropertyDecorator {
  const required = (options.required ?? true) && options.default === undefined;
  const described = {
    ...schema,
    description: options.about,
    required,
    ...(options.nullable ? { nullable: true } : {}),
    ...(options.default !== undefined ? { default: options.default } : {}),
    ...(options.example !== undefined ? { example: options.example } : {}),
  } as ApiPropertyOptions;
  return applyDecorators(noteForm(form), ApiProperty(described), ...absence(required, options), ...rules);
}

function absence<T>(required: boolean, options: FieldOptions<T>): PropertyDecorator[] {
  const skips = (value: unknown) => (value === undefined && !required) || (value === null && options.nullable === true);
  const decorators: PropertyDecorator[] = [ValidateIf((_, value) => !skips(value))];
  const fallback = options.default;
  if (fallback !== undefined) {
    decorators.push(
      Expose(),
      Transform(({ value }: { value: unknown }) => (value === undefined ? structuredClone(fallback) : value)),
    );
  }
  return decorators;
}
