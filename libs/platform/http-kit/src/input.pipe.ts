import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import { formsOf, type FieldForm } from './fields/field.js';
import { invalidInput, type FieldError } from './http.errors.js';
import { checkJson } from './json.js';

/**
 * Turns what came over the wire into a DTO, strictly: unknown fields and wrong types are refused by name, nothing in a
 * body is converted. A query string has only text, so its text is read in the form each field declares.
 */
@Injectable()
export class InputPipe implements PipeTransform<unknown, Promise<unknown>> {
  async transform(value: unknown, { type, metatype, data }: ArgumentMetadata): Promise<unknown> {
    if (type === 'custom') return value;
    checkJson(value);
    if (!metatype || data !== undefined || !isDto(metatype)) return value;
    if (type !== 'body') return toDto(metatype, readText(value, formsOf(metatype)));
    return toDto(metatype, value === undefined ? {} : value);
  }
}

/** Checks a plain value against a DTO class and gives an instance of it; throws INVALID_INPUT. */
export async function toDto<T extends object>(type: Type<T>, value: unknown): Promise<T> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidInput([{ field: '', message: 'must be a JSON object' }]);
  }
  const dto = plainToInstance(type, value);
  const errors = await validate(dto, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
    stopAtFirstError: true,
    validationError: { target: false, value: false },
  });
  if (errors.length > 0) throw invalidInput(errors.flatMap((error) => fieldErrors(error)));
  return dto;
}

const PLAIN: readonly unknown[] = [String, Number, Boolean, Array, Object];

function isDto(metatype: unknown): metatype is Type<object> {
  return typeof metatype === 'function' && !PLAIN.includes(metatype);
}

function fieldErrors({ property, constraints, children }: ValidationError, prefix = ''): FieldError[] {
  const path = prefix === '' ? property : `${prefix}.${property}`;
  const own = Object.entries(constraints ?? {}).map(([name, message]) => ({
    field: path,
    message: name === 'whitelistValidation' ? 'is not a known field' : message,
  }));
  return [...own, ...(children ?? []).flatMap((child) => fieldErrors(child, path))];
}

function readText(value: unknown, forms: ReadonlyMap<string, FieldForm>): unknown {
  if (typeof value !== 'object' || value === null) return value ?? {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, parse(text, forms.get(name))]));
}

function parse(text: unknown, form: FieldForm | undefined): unknown {
  if (form === 'list')
    return Array.isArray(text)
      ? text
      : String(text)
          .split(',')
          .filter((item) => item !== '');
  if (typeof text !== 'string') return text;
  if (form === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text;
  if (form === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (form === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
