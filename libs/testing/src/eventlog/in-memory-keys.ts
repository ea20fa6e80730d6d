import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { refuseKey, type DataKeys } from '#platform/eventlog';

/** Data keys in memory, for tests that need no database. */
export class InMemoryKeys implements DataKeys {
  private readonly keys = new Map<string, KeyObject | 'erased'>();

  forSealing(subjects: readonly string[]): Promise<ReadonlyMap<string, KeyObject>> {
    const found = new Map<string, KeyObject>();
    for (const subject of subjects) {
      const key = this.keys.get(subject) ?? createSecretKey(randomBytes(32));
      if (key === 'erased') return Promise.reject(refuseKey('SUBJECT_ERASED', { subject }));
      this.keys.set(subject, key);
      found.set(subject, key);
    }
    return Promise.resolve(found);
  }

  forOpening(subjects: readonly string[]): Promise<ReadonlyMap<string, KeyObject | 'erased'>> {
    const found = new Map<string, KeyObject | 'erased'>();
    for (const subject of subjects) {
      const key = this.keys.get(subject);
      if (key === undefined) return Promise.reject(refuseKey('KEY_MISSING', { subject }));
      found.set(subject, key);
    }
    return Promise.resolve(found);
  }

  erase(subject: string): void {
    this.keys.set(subject, 'erased');
  }
}
