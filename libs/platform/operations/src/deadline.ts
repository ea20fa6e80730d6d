import { refuseOperation } from './operation.errors.js';

/** A signal that aborts at a deadline or with another signal, and a promise to race work against. */
export class Deadline {
  readonly signal: AbortSignal;
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly cancel = () => this.controller.abort(refuseOperation('OPERATION_CANCELLED'));

  constructor(
    ms: number,
    private readonly outer?: AbortSignal,
  ) {
    this.signal = this.controller.signal;
    this.timer = setTimeout(
      () => this.controller.abort(refuseOperation('OPERATION_TIMEOUT', { deadline_ms: ms })),
      ms,
    ).unref();
    if (outer?.aborted) this.cancel();
    else outer?.addEventListener('abort', this.cancel, { once: true });
  }

  /** The work's outcome, or the refusal if the signal comes first. What the work does later is its own affair. */
  race<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stop = () => reject(this.signal.reason as Error);
      if (this.signal.aborted) return stop();
      this.signal.addEventListener('abort', stop, { once: true });
      work(this.signal).then(resolve, reject);
    });
  }

  /** To be called when the work is over. */
  release(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.cancel);
  }
}
