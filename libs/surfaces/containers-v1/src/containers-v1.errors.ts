import type { Kind, Refusal } from '#kernel';
import type { Failure, FailureAnswer, FieldError } from '#platform/http-kit';
import { envelope, requestIdInBody } from './envelope.js';

interface Word {
  readonly code: string;
  readonly status: number;
}

const BY_KIND: Readonly<Record<Kind, Word>> = {
  invalid: { code: 'INVALID_PARAMS', status: 400 },
  unauthenticated: { code: 'AUTH_FAILED', status: 401 },
  forbidden: { code: 'FORBIDDEN', status: 403 },
  not_found: { code: 'NOT_FOUND', status: 404 },
  conflict: { code: 'CONFLICT', status: 409 },
  blocked: { code: 'BLOCKED', status: 403 },
  overloaded: { code: 'RATE_LIMIT', status: 429 },
  timeout: { code: 'TIMEOUT', status: 504 },
  cancelled: { code: 'CANCELLED', status: 499 },
  unavailable: { code: 'UNAVAILABLE', status: 503 },
  internal: { code: 'INTERNAL', status: 500 },
};

/** Where the contract has a word of its own, or calls a contradiction a wrong parameter. */
const BY_CODE: Readonly<Record<string, Word>> = {
  CONTAINER_NOT_FOUND: { code: 'CONTAINER_NOT_FOUND', status: 404 },
  NAME_TAKEN: BY_KIND.invalid,
  CONTAINER_ARCHIVED: BY_KIND.invalid,
  METHOD_NOT_ALLOWED: { code: 'METHOD_NOT_ALLOWED', status: 405 },
  PAYLOAD_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE', status: 413 },
  UNSUPPORTED_MEDIA_TYPE: { code: 'UNSUPPORTED_MEDIA_TYPE', status: 415 },
};

/** A failure in the words of this contract. */
export function failContainers({ refusal, requestId, elapsedMs }: Failure): FailureAnswer {
  const { code, status } = BY_CODE[refusal.code] ?? BY_KIND[refusal.kind];
  const { message, hint: remediation } = refusal;
  return {
    status,
    body: {
      ...envelope(requestIdInBody(refusal) ?? requestId, elapsedMs, { [code]: remediation }),
      error: { code, message, remediation, details: detailsOf(refusal, code) },
    },
  };
}

function detailsOf(refusal: Refusal, code: string): Record<string, unknown> {
  const details = { ...refusal.details, ...(refusal.code === code ? {} : { reason: refusal.code }) };
  return code === 'INVALID_PARAMS' ? { ...details, field_errors: fieldErrors(refusal) } : details;
}

function fieldErrors({ details, message }: Refusal): readonly FieldError[] {
  const { field, field_errors: errors } = details;
  if (Array.isArray(errors)) return errors as FieldError[];
  return typeof field === 'string' ? [{ field, message }] : [];
}
