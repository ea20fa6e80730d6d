import { describe, expect, it } from '@jest/globals';
import { ROLES } from '#kernel';
import { PERMISSIONS, type Grantee } from './permissions.js';

const GRANTEES: readonly Grantee[] = [...ROLES, 'local'];

function grantedTo(grantee: Grantee): string[] {
  const entries: [string, readonly Grantee[]][] = Object.entries(PERMISSIONS);
  return entries.filter(([, granted]) => granted.includes(grantee)).map(([permission]) => permission);
}

describe('who may do what', () => {
  it('is what was reviewed', () => {
    expect(Object.fromEntries(GRANTEES.map((grantee) => [grantee, grantedTo(grantee)]))).toEqual({
      owner: Object.keys(PERMISSIONS),
      reviewer: ['containers:read', 'events:read'],
      editor: ['containers:read', 'containers:write', 'containers:archive'],
      reader: ['containers:read'],
      agent: ['containers:read', 'containers:write'],
      local: ['containers:read', 'containers:write', 'containers:archive', 'events:read', 'projections:admin'],
    });
  });
});
