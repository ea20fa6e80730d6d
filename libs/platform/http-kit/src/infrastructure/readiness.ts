import { isRefusal } from '#kernel';
import type { CheckResult, ReadinessDto } from './health.dto.js';

const CHECK_MS = 2_000;

/** A part the server cannot do its work without. */
export interface Probe {
  readonly name: string;
  /** Resolves when the part answers; throws when it does not. */
  check(): Promise<void>;
}

/** Asks every part, at the same time, and waits for none longer than two seconds. */
export class Readiness {
  constructor(private readonly probes: readonly Probe[]) {}

  async check(): Promise<ReadinessDto> {
    const results = await Promise.all(this.probes.map(async (probe) => [probe.name, await checked(probe)] as const));
    const ok = results.every(([, result]) => result.ok);
    return { ok, status: ok ? 'ready' : 'not_ready', checks: Object.fromEntries(results) };
  }
}

async function checked(probe: Probe): Promise<CheckResult> {
  const started = performance.now();
  const ms = () => Math.round((performance.now() - started) * 100) / 100;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`No answer within ${CHECK_MS} ms.`), CHECK_MS);
  });
  const error = await Promise.race([probe.check().then(() => undefined, sentence), late]);
  clearTimeout(timer);
  return error === undefined ? { ok: true, ms: ms() } : { ok: false, ms: ms(), error };
}

/** Only refusals speak for themselves; anything else may hold what is nobody's business. */
function sentence(error: unknown): string {
  return isRefusal(error) ? error.message : 'It failed; the log has the cause.';
}
