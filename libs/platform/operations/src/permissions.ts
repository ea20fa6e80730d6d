import type { Caller, Role } from '#kernel';

/** Who is there when no token is configured: whoever can reach the loopback address. */
export const LOCAL_UNVERIFIED = 'local:unverified';

/** A column of the table below: a role, or the unverified local caller, who has none. */
export type Grantee = Role | 'local';

/**
 * Who may do what. This is the whole of it: a change here is a change of rights and is reviewed as one.
 * The unverified local caller reads, ingests, proposes and keeps the read models in order; what only a human may do
 * is never granted to it.
 */
export const PERMISSIONS = {
  'containers:read': ['owner', 'reviewer', 'editor', 'reader', 'agent', 'local'],
  'containers:write': ['owner', 'editor', 'agent', 'local'],
  'containers:archive': ['owner', 'editor', 'local'],
  'events:read': ['owner', 'reviewer', 'local'],
  'projections:admin': ['owner', 'local'],
} as const satisfies Readonly<Record<string, readonly Grantee[]>>;

export type Permission = keyof typeof PERMISSIONS;

/** True when one of the caller's roles carries the permission. */
export function mayUse(caller: Caller, permission: Permission): boolean {
  const granted: readonly Grantee[] = PERMISSIONS[permission];
  return granteesOf(caller).some((grantee) => granted.includes(grantee));
}

function granteesOf(caller: Caller): readonly Grantee[] {
  return caller.id === LOCAL_UNVERIFIED ? ['local'] : caller.roles;
}
