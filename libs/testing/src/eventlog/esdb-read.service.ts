import { status, type ServerWritableStream } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { isAfter, type EsdbPlace, type EsdbRecord, type EsdbStore } from './esdb-store.js';
import { checkpointMessage, eventMessage, identifierOf, rpcError, streamName } from './esdb-wire.js';
import type { EsdbDoor } from './esdb-door.js';

type Call = ServerWritableStream<ReadReq, ReadResp>;

/** Read of the Streams service: streams, everything, subscriptions. */
export class EsdbReadService {
  /** Messages handed to the transport. */
  sent = 0;

  constructor(
    private readonly store: EsdbStore,
    private readonly door: EsdbDoor,
  ) {}

  read = (call: Call): void => {
    const refused = this.door.read(call);
    if (refused === 'silence') return;
    if (refused !== undefined) {
      call.emit('error', refused);
      return;
    }
    const options = call.request.getOptions()!;
    const done = options.hasSubscription()
      ? this.subscribe(call, options)
      : options.hasStream()
        ? this.readStream(call, options)
        : this.readAll(call, options);
    done.catch((error: unknown) => call.emit('error', error));
  };

  private async readStream(call: Call, options: ReadReq.Options): Promise<void> {
    const wanted = options.getStream()!;
    const stream = streamName(wanted.getStreamIdentifier());
    const records = this.store.read(stream);
    if (records === 'deleted') throw rpcError(status.FAILED_PRECONDITION, 'stream-deleted', { 'stream-name': stream });
    if (records === 'missing') {
      const missing = new streams.ReadResp.StreamNotFound();
      missing.setStreamIdentifier(identifierOf(stream));
      const response = new streams.ReadResp();
      response.setStreamNotFound(missing);
      await this.send(call, response);
      call.end();
      return;
    }
    const revision = wanted.hasRevision() ? Number(wanted.getRevision()) : undefined;
    const backward = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
    const ordered = backward
      ? [...records].reverse().filter((record) => revision === undefined || record.revision <= revision)
      : records.filter((record) => revision === undefined || record.revision >= revision);
    await this.sendRecords(call, ordered.slice(0, countOf(options)));
  }

  private async readAll(call: Call, options: ReadReq.Options): Promise<void> {
    const from = placeOf(options);
    const backward = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
    // Forward includes the position given, backward does not: a position is the gap before a record.
    const ordered = backward
      ? [...this.store.log].reverse().filter((record) => from === undefined || isAfter(from, record))
      : this.store.log.filter((record) => from === undefined || !isAfter(from, record));
    await this.sendRecords(call, ordered.slice(0, countOf(options)));
  }

  private async sendRecords(call: Call, records: readonly EsdbRecord[]): Promise<void> {
    for (const record of records) {
      if (call.cancelled || call.destroyed) return;
      await this.send(call, eventMessage(record));
    }
    call.end();
  }

  private async subscribe(call: Call, options: ReadReq.Options): Promise<void> {
    const confirmation = new streams.ReadResp.SubscriptionConfirmation();
    confirmation.setSubscriptionId(crypto.randomUUID());
    const confirmed = new streams.ReadResp();
    confirmed.setConfirmation(confirmation);
    await this.send(call, confirmed);

    const after = placeOf(options);
    const matches = filterOf(options);
    const interval = checkpointIntervalOf(options);
    let next = after === undefined ? 0 : this.store.log.findIndex((record) => isAfter(record, after));
    if (next === -1) next = this.store.log.length;
    let sinceCheckpoint = 0;
    let live = false;
    while (!call.cancelled && !call.destroyed) {
      const record = this.store.log[next];
      if (record === undefined) {
        if (!live) {
          live = true;
          const caughtUp = new streams.ReadResp();
          caughtUp.setCaughtUp(new streams.ReadResp.CaughtUp());
          await this.send(call, caughtUp);
        }
        await this.written(call, next);
        continue;
      }
      next += 1;
      sinceCheckpoint += 1;
      if (matches(record)) await this.send(call, eventMessage(record));
      if (sinceCheckpoint >= interval) {
        sinceCheckpoint = 0;
        await this.send(call, checkpointMessage(record));
      }
    }
  }

  private async written(call: Call, length: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        forget();
        call.off('cancelled', done).off('close', done);
        resolve();
      };
      const forget = this.store.onWrite(() => {
        if (this.store.log.length > length) done();
      });
      call.once('cancelled', done).once('close', done);
      if (this.store.log.length > length || call.cancelled || call.destroyed) done();
    });
  }

  /** Waits for a consumer that does not keep up. */
  private async send(call: Call, message: ReadResp): Promise<void> {
    if (call.cancelled || call.destroyed) return;
    this.sent += 1;
    if (call.write(message)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        call.off('drain', done).off('cancelled', done).off('close', done);
        resolve();
      };
      call.once('drain', done).once('cancelled', done).once('close', done);
    });
  }
}

function countOf(options: ReadReq.Options): number {
  return Number(options.getCount());
}

function placeOf(options: ReadReq.Options): EsdbPlace | undefined {
  const position = options.getAll()?.getPosition();
  if (position === undefined) return undefined;
  return { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) };
}

function filterOf(options: ReadReq.Options): (record: EsdbRecord) => boolean {
  const filter = options.getFilter();
  if (filter === undefined) return () => true;
  const expression = filter.getEventType() ?? filter.getStreamIdentifier()!;
  const prefixes = expression.getPrefixList();
  const pattern = new RegExp(expression.getRegex());
  return (record) => {
    const text = filter.hasEventType() ? record.type : record.stream;
    return prefixes.length > 0 ? prefixes.some((prefix) => text.startsWith(prefix)) : pattern.test(text);
  };
}

function checkpointIntervalOf(options: ReadReq.Options): number {
  const filter = options.getFilter();
  if (filter === undefined) return Infinity;
  return (filter.hasMax() ? filter.getMax() : 32) * Math.max(1, filter.getCheckpointintervalmultiplier());
}
