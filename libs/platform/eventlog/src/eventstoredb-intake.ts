import { meaningOf } from './eventstoredb-errors.js';

/** Why a wait ended. */
export type News = 'arrival' | 'nudge' | 'quiet';

/** The part of the client's streams that is used here. */
interface Source {
  readonly readableLength: number;
  read(): unknown;
  resume(): unknown;
  removeAllListeners(event: string): unknown;
  on(event: 'readable' | 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** A call's answers, taken as they arrive. Untaken ones fill its buffer, and then the engine has to wait. */
export class Intake<T> {
  private over: { readonly error: Error | undefined } | undefined;
  private wake: (news: News) => void = () => undefined;

  constructor(private readonly source: Source) {
    source.on('readable', () => this.wake('arrival'));
    source.on('error', (error) => this.end(error));
    source.on('end', () => this.end(undefined));
    source.on('close', () => this.end(new Error('The call was closed.')));
  }

  /** The next one that has arrived. */
  take(): T | undefined {
    return (this.source.read() as T | null) ?? undefined;
  }

  /** How many have arrived and were not taken. */
  get waiting(): number {
    return this.source.readableLength;
  }

  /** Set when no more will arrive; what has arrived can still be taken. */
  get ended(): { readonly error: Error | undefined } | undefined {
    return this.over;
  }

  /** Waits for news, at most so long. */
  async news(ms: number, signal?: AbortSignal): Promise<News> {
    if (this.waiting > 0 || this.over !== undefined || signal?.aborted === true) return 'arrival';
    return await new Promise<News>((resolve) => {
      const done = (news: News) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        this.wake = () => undefined;
        resolve(news);
      };
      const aborted = () => done('arrival');
      const timer = ms === Infinity ? undefined : setTimeout(() => done('quiet'), ms);
      signal?.addEventListener('abort', aborted);
      this.wake = done;
    });
  }

  /** Ends a wait from outside: something came that is not an answer. */
  arrive(): void {
    this.wake('arrival');
  }

  /** Ends a wait from outside: something may have happened. */
  nudge(): void {
    this.wake('nudge');
  }

  /** Ends the call. The client keeps a call on its books until its last answer was read, so they are, and dropped. */
  async close(cancel: () => Promise<void>): Promise<void> {
    this.source.removeAllListeners('readable');
    try {
      await cancel();
    } catch (error) {
      // A call that never began has nothing to end.
      if (meaningOf(error) === 'fault') throw error;
    }
    this.source.resume();
  }

  private end(error: Error | undefined): void {
    this.over ??= { error };
    this.wake('arrival');
  }
}
