import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One measured thing. Without a target it only informs. */
export interface Check {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target: string | null;
  readonly ok: boolean;
}

/** A value that has to be at least so much. */
export function atLeast(target: number, name: string, value: number, unit: string): Check {
  return { name, value: rounded(value), unit, target: `≥ ${target}`, ok: value >= target };
}

/** A value that has to stay below. */
export function below(target: number, name: string, value: number, unit: string): Check {
  return { name, value: rounded(value), unit, target: `< ${target}`, ok: value < target };
}

/** A value that may be at most so much. */
export function atMost(target: number, name: string, value: number, unit: string): Check {
  return { name, value: rounded(value), unit, target: `≤ ${target}`, ok: value <= target };
}

/** A value that explains the others. */
export function noted(name: string, value: number, unit: string): Check {
  return { name, value: rounded(value), unit, target: null, ok: true };
}

/** Says what is going on, beside the table. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function table(checks: readonly Check[]): string {
  const rows = [
    ['check', 'value', 'unit', 'target', 'ok'],
    ...checks.map(({ name, value, unit, target, ok }) => [
      name,
      String(value),
      unit,
      target ?? '',
      target === null ? '' : ok ? 'yes' : 'NO',
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [
    line(rows[0] ?? []),
    widths.map((width) => '-'.repeat(width)).join('  '),
    ...rows.slice(1).map(line),
    '',
  ].join('\n');
}

/** Keeps the numbers where a machine finds them. */
export async function writeResults(folder: string, suite: string, checks: readonly Check[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const result = { suite, at: new Date().toISOString(), checks };
  await writeFile(join(folder, `${suite}.json`), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** Four digits say all that a shared machine can. */
function rounded(value: number): number {
  return Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(4));
}
