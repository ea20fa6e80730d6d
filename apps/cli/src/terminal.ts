import { constants } from 'node:os';

/** Why a command ended early: a signal, or a reader of its output that went away. */
export class Stopped extends Error {
  constructor(
    reason: string,
    readonly exitCode: number,
  ) {
    super(`Stopped: ${reason}.`);
    this.name = 'Stopped';
  }
}

/** How an answer is wanted. */
export interface Output {
  readonly json?: true;
}

/** Where a command speaks, and from where it is told to stop. Answers go to stdout, everything else to stderr. */
export class Terminal {
  exitCode = 0;
  private readonly stopping = new AbortController();
  readonly stop = this.stopping.signal;

  constructor(
    private readonly stdout: NodeJS.WriteStream = process.stdout,
    private readonly stderr: NodeJS.WriteStream = process.stderr,
  ) {
    this.onClosedPipe(stdout);
    this.onClosedPipe(stderr);
  }

  /** Lets Ctrl-C and the system end the command in good order. */
  obeySignals(): this {
    this.onSignal('SIGINT');
    this.onSignal('SIGTERM');
    return this;
  }

  /** True when somebody watches, so that a line may be drawn over. */
  get isWatched(): boolean {
    return this.stderr.isTTY === true;
  }

  readonly write = (text: string): void => {
    this.stdout.write(text);
  };

  readonly writeAside = (text: string): void => {
    this.stderr.write(text);
  };

  print(text: string): void {
    this.write(`${text}\n`);
  }

  printJson(value: unknown): void {
    this.print(JSON.stringify(value, null, 2));
  }

  /** One line whatever is in it, for answers that have no end. */
  printJsonLine(value: unknown): void {
    this.print(JSON.stringify(value));
  }

  note(text: string): void {
    this.writeAside(`${text}\n`);
  }

  /** Draws the last line of stderr anew. */
  redraw(text: string): void {
    this.writeAside(`\r\u001b[K${text}`);
  }

  /** `head` and the like read what they need and go: that is no failure. A full disk is one. */
  private onClosedPipe(stream: NodeJS.WriteStream): void {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return this.stopping.abort(new Stopped('nobody reads on', 0));
      this.exitCode = 1;
      // The last write may fail when the command is over already.
      process.exitCode = this.exitCode;
      this.stopping.abort(new Stopped('the output cannot be written', this.exitCode));
      if (stream !== this.stderr) this.note(`The output cannot be written: ${error.message}.`);
    });
  }

  /** The first one lets what was opened be closed; the second ends the process at once. */
  private onSignal(signal: 'SIGINT' | 'SIGTERM'): void {
    process.once(signal, () => {
      const exitCode = 128 + constants.signals[signal];
      process.once(signal, () => process.exit(exitCode));
      this.stopping.abort(new Stopped(signal, exitCode));
    });
  }
}
