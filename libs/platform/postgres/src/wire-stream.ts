import { Duplex } from 'node:stream';

const QUERY = 0x51;
const SYNC = 0x53;
const TERMINATE = 0x58;

/** Carries out one exchange of the wire protocol: the bytes of a request to the bytes of its answer. */
export type Exchange = (request: Uint8Array) => Promise<Uint8Array>;

/**
 * Stands where pg's socket would: what the driver writes is gathered until a message asks for an answer (Sync or Query),
 * then exchanged at once. So the real driver speaks to a Postgres that has no socket.
 */
export class WireStream extends Duplex {
  private gathered: Buffer[] = [];
  private started = false;

  constructor(private readonly exchange: Exchange) {
    super();
  }

  /** The driver calls what a net.Socket has. */
  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.started && chunk[0] === TERMINATE) {
      this.push(null);
      done();
      return;
    }
    this.gathered.push(chunk);
    if (this.started && !asksForAnswer(chunk)) {
      done();
      return;
    }
    this.started = true;
    const request = Buffer.concat(this.gathered);
    this.gathered = [];
    this.exchange(request).then(
      (reply) => {
        this.push(Buffer.from(reply.buffer, reply.byteOffset, reply.byteLength));
        done();
      },
      (error: unknown) => {
        done(error instanceof Error ? error : new Error(String(error)));
      },
    );
  }
}

/** True when the last whole message in the chunk is one that the backend answers. */
function asksForAnswer(chunk: Buffer): boolean {
  let at = 0;
  let last: number | undefined;
  while (at + 5 <= chunk.length) {
    last = chunk[at];
    at += 1 + chunk.readUInt32BE(at + 1);
  }
  return last === SYNC || last === QUERY;
}
