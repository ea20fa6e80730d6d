import { Refusal, type Kind } from '#kernel';
import type { ScriptoriumErrorDto } from '#surfaces/scriptorium-v1';
import { refuseCommand } from '../failure.js';

/** What the server said, or the refusal it answered with, in its own words. */
export function answerOf<Answer>(status: number, text: string): Answer {
  const body = parsed(text);
  if (status >= 200 && status < 300 && isObject(body)) return body as Answer;
  if (isError(body)) throw refusalIn(status, body);
  throw refuseCommand('NOT_SCRIPTORIUM', { status });
}

function refusalIn(status: number, { error }: ScriptoriumErrorDto): Refusal {
  const { code, message, hint, details, request_id: id } = error;
  const kind = kindOf(status);
  if (status === 401) return new Refusal(code, { kind, message, hint: 'Set MCP_TOKEN to the token of that server.' });
  return new Refusal(code, { kind, message, hint: kind === 'internal' ? `${hint} (${id})` : hint }, details);
}

/** Only what the command line goes by: whether to try again, and whose fault it is. */
function kindOf(status: number): Kind {
  if (status === 503) return 'unavailable';
  return status >= 500 ? 'internal' : 'invalid';
}

function isError(body: unknown): body is ScriptoriumErrorDto {
  const error = isObject(body) ? body['error'] : undefined;
  return isObject(error) && typeof error['code'] === 'string' && typeof error['message'] === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
