import type { Kind, Refusal } from '#kernel';

const BY_KIND: Readonly<Record<Kind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  blocked: 403,
  overloaded: 429,
  timeout: 504,
  cancelled: 499,
  unavailable: 503,
  internal: 500,
};

const BY_CODE: Readonly<Record<string, number>> = {
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  HEADERS_TOO_LARGE: 431,
};

/** The HTTP status a refusal has unless its surface says otherwise. */
export function statusOf(refusal: Refusal): number {
  return BY_CODE[refusal.code] ?? BY_KIND[refusal.kind];
}
