export const CALLER_KINDS = ['human', 'agent', 'service'] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];

export const ROLES = ['owner', 'reviewer', 'editor', 'reader', 'agent'] as const;
export type Role = (typeof ROLES)[number];

/** On whose behalf something is done. It travels inside the operation; nothing fetches it from thin air. */
export interface Caller {
  readonly kind: CallerKind;
  readonly id: string;
  readonly roles: readonly Role[];
  /** What an agent calls itself. A label: it never raises rights. */
  readonly agent?: { readonly name: string; readonly version?: string };
}

/** The system itself: projections, reactors, jobs. */
export const SYSTEM: Caller = { kind: 'service', id: 'system', roles: ['owner'] };
