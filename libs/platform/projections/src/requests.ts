import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal, isRefusal, type RefusalSpec } from '#kernel';
import type { Database } from '#platform/postgres';
import { refuseProjection } from './projection.errors.js';

const LOOK_MS = 20;
const PATIENCE_MS = 20_000;

/** What the process that looks after a projection can be asked to do. */
export type Action = 'rebuild' | 'rollback' | 'replay';

interface OpenRequest {
  readonly id: string;
  readonly action: Action;
  readonly argument: Record<string, unknown>;
}

type Answer =
  { ok: unknown } | { refused: RefusalSpec & { code: string; details: Record<string, unknown> } } | { fault: string };

/** Asks whichever process holds the projection, and waits for its answer. */
export async function ask<T>(
  database: Database,
  name: string,
  action: Action,
  argument: object,
  onAsked: () => void,
): Promise<T> {
  const id = randomUUID();
  await database.query('insert into projections.requests (id, name, action, argument) values ($1, $2, $3, $4)', [
    id,
    name,
    action,
    JSON.stringify(argument),
  ]);
  onAsked();
  const patience = Date.now() + PATIENCE_MS;
  while (Date.now() < patience) {
    const { rows } = await database.query<{ answer: Answer | null }>(
      'delete from projections.requests where id = $1 and answered_at is not null returning answer',
      [id],
    );
    const answer = rows[0]?.answer;
    if (answer) return read<T>(answer);
    await sleep(LOOK_MS);
  }
  await database.query('delete from projections.requests where id = $1', [id]);
  throw refuseProjection('PROJECTION_IDLE', { name });
}

/** Carries out what has been asked, as long as somebody waits for it. A refusal is an answer; a fault is too. */
export async function answerRequests(
  database: Database,
  name: string,
  carryOut: (action: Action, argument: Record<string, unknown>) => Promise<unknown>,
): Promise<void> {
  const { rows } = await database.query<OpenRequest>(
    `select id, action, argument from projections.requests
     where name = $1 and answered_at is null and requested_at > clock_timestamp() - $2 * interval '1 millisecond'
     order by requested_at`,
    [name, PATIENCE_MS],
  );
  for (const request of rows) {
    const answer = await attempt(() => carryOut(request.action, request.argument));
    await database.query('update projections.requests set answer = $2, answered_at = clock_timestamp() where id = $1', [
      request.id,
      JSON.stringify(answer),
    ]);
  }
}

async function attempt(work: () => Promise<unknown>): Promise<Answer> {
  try {
    return { ok: await work() };
  } catch (error) {
    if (!isRefusal(error)) return { fault: error instanceof Error ? error.message : String(error) };
    const { code, kind, message, hint, details } = error;
    return { refused: { code, kind, message, hint, details } };
  }
}

function read<T>(answer: Answer): T {
  if ('ok' in answer) return answer.ok as T;
  if ('fault' in answer) throw new Error(answer.fault);
  const { code, details, ...spec } = answer.refused;
  throw new Refusal(code, spec, details);
}
