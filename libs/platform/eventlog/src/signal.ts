/** Wakes whoever waits when something happened, and forgets nothing that happened between looking and waiting. */
export class Signal {
  private fired = 0;
  private readonly waiting = new Set<() => void>();

  /** How often it has fired: take it before looking, hand it to `after`. */
  get count(): number {
    return this.fired;
  }

  fire(): void {
    this.fired += 1;
    for (const wake of [...this.waiting]) wake();
  }

  /** Resolves once it has fired more often than `count`, or the time is over, or the signal aborts. */
  after(count: number, ms: number, abort?: AbortSignal): Promise<void> {
    if (this.fired > count || abort?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        abort?.removeEventListener('abort', wake);
        this.waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      abort?.addEventListener('abort', wake);
      this.waiting.add(wake);
    });
  }
}
