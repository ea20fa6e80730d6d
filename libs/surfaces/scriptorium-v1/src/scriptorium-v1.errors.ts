import type { Refusal } from '#kernel';
import { ObjectField, ListField, NestedField, StringField, type Failure, type FailureAnswer } from '#platform/http-kit';

export class ScriptoriumErrorBodyDto {
  @StringField({ about: 'A stable word for what went wrong.', example: 'INVALID_INPUT' })
  code!: string;

  @StringField({ about: 'One sentence: what is wrong.' })
  message!: string;

  @StringField({ about: 'One sentence: what to do about it.' })
  hint!: string;

  @ObjectField({ about: 'The case at hand: the fields, names and numbers concerned.' })
  details!: Record<string, unknown>;

  @ListField({ about: 'The principles a blocked request went against; empty for any other failure.' })
  constitutional_violations!: string[];

  @StringField({ about: 'The id of the request, also in the header X-Request-ID.' })
  request_id!: string;
}

export class ScriptoriumErrorDto {
  @NestedField(() => ScriptoriumErrorBodyDto, { about: 'What went wrong.' })
  error!: ScriptoriumErrorBodyDto;
}

/** Our own words are the core's words: code, message and hint as the refusal has them. */
export function failScriptorium({ refusal, status, requestId, path }: Failure): FailureAnswer {
  const body: ScriptoriumErrorDto = {
    error: {
      code: wordFor(refusal, path),
      message: refusal.message,
      hint: refusal.hint,
      details: { ...refusal.details },
      constitutional_violations: [],
      request_id: requestId,
    },
  };
  return { status, body };
}

/** Who comes to an MCP path without a token is told in the word that MCP clients look for. */
function wordFor({ kind, code }: Refusal, path: string): string {
  return kind === 'unauthenticated' && /^\/mcp(\/|$)/.test(path) ? 'MCP_AUTH_REQUIRED' : code;
}
