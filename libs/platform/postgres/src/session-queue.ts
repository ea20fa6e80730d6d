import { PRIORITIES, type Priority } from './database.js';

/** The one session is given to one user at a time: the most urgent who waits, then the one who came first. */
export class SessionQueue {
  private readonly waiting = new Map<Priority, (() => void)[]>(PRIORITIES.map((priority) => [priority, []]));
  private busy = false;

  /** Resolves when it is this user's turn; the function it gives ends the turn. */
  async acquire(priority: Priority): Promise<() => void> {
    if (this.busy) await new Promise<void>((resolve) => this.waiting.get(priority)?.push(resolve));
    this.busy = true;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.next();
    };
  }

  /** How many wait, by priority. */
  depth(): Record<Priority, number> {
    return Object.fromEntries([...this.waiting].map(([priority, queue]) => [priority, queue.length])) as Record<
      Priority,
      number
    >;
  }

  private next(): void {
    for (const priority of PRIORITIES) {
      const turn = this.waiting.get(priority)?.shift();
      if (turn) {
        turn();
        return;
      }
    }
    this.busy = false;
  }
}
