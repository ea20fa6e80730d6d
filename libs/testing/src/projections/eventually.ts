import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition that comes true by itself; fails with what it saw last when it does not. */
export async function eventually<T>(look: () => Promise<T> | T, wanted: (seen: T) => boolean, ms = 15_000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const seen = await look();
    if (wanted(seen)) return seen;
    if (Date.now() > end) throw new Error(`It did not come true in ${ms} ms. Seen last: ${JSON.stringify(seen)}`);
    await sleep(10);
  }
}
