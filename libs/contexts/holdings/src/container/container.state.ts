import type { ContainerProfile } from './container.events.js';

export const MODALITIES = ['text', 'pdf', 'image', 'web'] as const;
export const DEFAULT_MODALITIES = ['text', 'pdf', 'image'] as const;
export type ContainerState = 'active' | 'paused' | 'archived';

/** The longest texts a container carries, in characters. */
export const TEXT_LIMITS = { theme: 500, description: 10_000, mission_context: 10_000 } as const;

export interface Embedder {
  readonly name: string;
  readonly version: string;
  readonly dims: number;
}

/** The model the product comes with. */
export const DEFAULT_EMBEDDER: Embedder = { name: 'all-MiniLM-L6-v2', version: '1.0.0', dims: 384 };

/** How long a claimed name waits for its container, before others may have it. */
export const CLAIM_PATIENCE_MS = 60_000;

export interface ExistingContainer {
  readonly status: ContainerState;
  readonly id: string;
  readonly name: string;
  /** The claim by which it holds its name. */
  readonly claimId: string;
  /** Claims it once had, or lost: a name is never taken up by one of these. */
  readonly spentClaims: readonly string[];
  readonly profile: ContainerProfile;
  readonly policy: Readonly<Record<string, unknown>>;
  readonly manifestVersion: string;
}

export type Container = { readonly status: 'absent'; readonly spentClaims: readonly string[] } | ExistingContainer;

/** `YYYY-MM-DD-NNN`: the day, and a count within it. Never goes back, even when the clock does. */
export function nextManifestVersion(day: string, previous = ''): string {
  const [, lastDay = '', count = '0'] = /^(\d{4}-\d{2}-\d{2})-(\d+)$/.exec(previous) ?? [];
  return lastDay < day ? `${day}-001` : `${lastDay}-${String(Number(count) + 1).padStart(3, '0')}`;
}
