import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '#kernel';
import { LOCAL_UNVERIFIED } from '#platform/operations';

/** Says on whose behalf a request is made; undefined when it needs a token and has no good one. */
export interface Authenticator {
  authenticate(headers: IncomingHttpHeaders): Caller | undefined;
}

/** One token, and whoever has it is the owner. */
export class OwnerToken implements Authenticator {
  private readonly digest: Buffer;

  constructor(token: string) {
    this.digest = digestOf(token);
  }

  authenticate(headers: IncomingHttpHeaders): Caller | undefined {
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    // Digests have one length: comparing them tells nothing about the token's.
    if (token === undefined || !timingSafeEqual(digestOf(token), this.digest)) return undefined;
    return labelled({ kind: 'human', id: 'principal:owner', roles: ['owner'] }, headers);
  }
}

/**
 * No token configured: whoever reaches the loopback address is let in, unverified. An agent with a shell can do that as
 * well as a person, so this caller counts as an agent: what it writes waits for a human, and it never is one.
 */
export class LocalMode implements Authenticator {
  authenticate(headers: IncomingHttpHeaders): Caller {
    return labelled({ kind: 'agent', id: LOCAL_UNVERIFIED, roles: [] }, headers);
  }
}

/** `X-Agent-ID` and `X-Agent-Name` say who is at work. They never raise rights. */
function labelled(caller: Caller, headers: IncomingHttpHeaders): Caller {
  const name = label(headers['x-agent-id']) ?? label(headers['x-agent-name']);
  return name === undefined ? caller : { ...caller, agent: { name } };
}

function label(text: string | string[] | undefined): string | undefined {
  return typeof text === 'string' && /^[\x20-\x7e]{1,128}$/.test(text) ? text : undefined;
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
