import { defineRefusals } from '#kernel';

export const refuseHttp = defineRefusals({
  INVALID_INPUT: {
    kind: 'invalid',
    message: 'The request does not have the expected form.',
    hint: 'Correct the fields named in details.field_errors.',
  },
  BROKEN_JSON: {
    kind: 'invalid',
    message: 'The body is not valid JSON.',
    hint: 'Send one JSON object, encoded in UTF-8.',
  },
  BAD_REQUEST: {
    kind: 'invalid',
    message: 'The request cannot be understood.',
    hint: 'Check the URL, the headers and the body.',
  },
  UNAUTHORIZED: {
    kind: 'unauthenticated',
    message: 'This needs a valid token.',
    hint: 'Send the header "Authorization: Bearer <token>".',
  },
  FOREIGN_HOST: {
    kind: 'forbidden',
    message: 'This server does not answer to that host name.',
    hint: 'Use the address the server listens on, or set PUBLIC_URL to the name it is reached by.',
  },
  FOREIGN_ORIGIN: {
    kind: 'forbidden',
    message: 'Pages of other origins may not call this server.',
    hint: 'Call it from its own origin, or from a program that sends no Origin header.',
  },
  ROUTE_NOT_FOUND: {
    kind: 'not_found',
    message: 'There is nothing at this path.',
    hint: 'See /docs for what there is.',
  },
  METHOD_NOT_ALLOWED: {
    kind: 'invalid',
    message: 'This path does not take that method.',
    hint: 'Use one of the methods in the Allow header.',
  },
  PAYLOAD_TOO_LARGE: {
    kind: 'invalid',
    message: 'The body is too large.',
    hint: 'Send less at a time.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    kind: 'invalid',
    message: 'The body is of a type this path does not take.',
    hint: 'Send plain JSON with the header "Content-Type: application/json".',
  },
  HEADERS_TOO_LARGE: {
    kind: 'invalid',
    message: 'The headers are too large.',
    hint: 'Send fewer or shorter headers.',
  },
  REQUEST_TIMEOUT: {
    kind: 'timeout',
    message: 'The request did not arrive in time.',
    hint: 'Send it in one go.',
  },
  SHUTTING_DOWN: {
    kind: 'unavailable',
    message: 'The server is stopping.',
    hint: 'Try again in a moment.',
  },
  INTERNAL: {
    kind: 'internal',
    message: 'Something went wrong inside.',
    hint: 'Report the request id; the log has the cause under it.',
  },
});

/** What is wrong with one field of the input. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The refusal for input of the wrong form, naming each field. */
export function invalidInput(errors: readonly FieldError[]) {
  const sentences = errors.map(({ field, message }) => (field === '' ? `The input ${message}` : `${field} ${message}`));
  return refuseHttp('INVALID_INPUT', { field_errors: errors }, `${sentences.join('; ')}.`);
}
