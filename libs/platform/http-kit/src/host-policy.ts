import { refuseHttp } from './http.errors.js';

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/** True for a name that only this machine answers to. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.includes(hostname.toLowerCase()) || hostname === '::1';
}

/**
 * Which names this server answers to. A page on a foreign name that resolves to this machine (DNS rebinding) sends its
 * own name as Host, a page elsewhere its own Origin: both are turned away.
 */
export class HostPolicy {
  private readonly hosts: ReadonlySet<string>;

  /** `served` are `host:port` or `host`, beside the loopback names, which are allowed at any port. */
  constructor(served: readonly string[]) {
    this.hosts = new Set(served.map((host) => host.toLowerCase()));
  }

  /** Refuses FOREIGN_HOST or FOREIGN_ORIGIN. */
  check(host: string | undefined, origin: string | undefined): void {
    if (host === undefined || !this.allows(host)) throw refuseHttp('FOREIGN_HOST');
    if (origin !== undefined && !this.allowsOrigin(origin)) throw refuseHttp('FOREIGN_ORIGIN');
  }

  private allows(host: string): boolean {
    const hostname = HOST.exec(host)?.[1];
    return hostname !== undefined && (isLoopback(hostname) || this.hosts.has(host.toLowerCase()));
  }

  private allowsOrigin(origin: string): boolean {
    const host = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
    return host !== undefined && this.allows(host);
  }
}

/** True when a Host header names the loopback address. */
export function namesLoopback(host: string | undefined): boolean {
  const hostname = host === undefined ? undefined : HOST.exec(host)?.[1];
  return hostname !== undefined && isLoopback(hostname);
}
