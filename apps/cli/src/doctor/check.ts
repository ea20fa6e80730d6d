import type { Settings } from '#platform/settings';

/** What was looked at, and what to do about it when it is not well. */
export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
  readonly advice?: string;
}

export interface Examined {
  readonly settings: Settings;
  /** The server that holds the data folder and answers. */
  readonly running?: string;
  readonly stop: AbortSignal;
}

export function ok(name: string, message: string): Check {
  return { name, status: 'ok', message };
}

export function warning(name: string, message: string, advice: string): Check {
  return { name, status: 'warning', message, advice };
}

export function problem(name: string, message: string, advice: string): Check {
  return { name, status: 'problem', message, advice };
}
