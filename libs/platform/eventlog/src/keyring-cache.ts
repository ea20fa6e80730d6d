import type { KeyObject } from 'node:crypto';

interface Entry {
  readonly key: KeyObject | 'erased';
  readonly until: number;
}

/** Data keys lately used: the least recent go first, and none stays longer than its time. */
export class KeyCache {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly limits: { readonly size: number; readonly ttlMs: number },
    private readonly now: () => number,
  ) {}

  get(subject: string): KeyObject | 'erased' | undefined {
    const entry = this.entries.get(subject);
    if (entry === undefined) return undefined;
    this.entries.delete(subject);
    if (entry.until <= this.now()) return undefined;
    this.entries.set(subject, entry);
    return entry.key;
  }

  /** A key that was on its way while its subject was erased must not come back: erased stays. */
  put(subject: string, key: KeyObject | 'erased'): void {
    if (key !== 'erased' && this.get(subject) === 'erased') return;
    this.entries.delete(subject);
    this.entries.set(subject, { key, until: this.now() + this.limits.ttlMs });
    if (this.entries.size <= this.limits.size) return;
    for (const [oldest] of this.entries) {
      this.entries.delete(oldest);
      break;
    }
  }
}
