import { applyDecorators, type Type } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

const SENTENCES: Readonly<Record<number, string>> = {
  400: 'The request does not have the expected form.',
  401: 'A token is missing or not valid.',
  403: 'Not allowed, or a foreign host or origin.',
  404: 'What was asked for is not there.',
  405: 'The path does not take this method.',
  409: 'It contradicts what is there now.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  429: 'Too much at once.',
  500: 'A fault inside; the log has its cause under the request id.',
  503: 'A part of the system is away; Retry-After says when to try again.',
  504: 'It did not finish in time.',
};

/** Describes every failure a route can answer with, in its surface's shape. */
export function ErrorResponses(type: Type): MethodDecorator & ClassDecorator {
  return applyDecorators(
    ...Object.entries(SENTENCES).map(([status, description]) =>
      ApiResponse({ status: Number(status), type, description }),
    ),
  );
}
