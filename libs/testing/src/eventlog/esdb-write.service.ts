import {
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
} from '@grpc/grpc-js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { EsdbExpected, EsdbProposal, EsdbStore, EsdbWritten } from './esdb-store.js';
import { expectedOf, identifierOf, proposalOf, rpcError, streamName } from './esdb-wire.js';
import type { EsdbDoor } from './esdb-door.js';

/** Append, BatchAppend and Tombstone of the Streams service. */
export class EsdbWriteService {
  /** Calls that reached the engine, by name. */
  readonly calls = { append: 0, batchAppend: 0, tombstone: 0 };

  constructor(
    private readonly store: EsdbStore,
    private readonly door: EsdbDoor,
  ) {}

  append = (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>): void => {
    this.calls.append += 1;
    let stream = '';
    let expected: EsdbExpected = 'any';
    const proposals: EsdbProposal[] = [];
    call.on('data', (request: AppendReq) => {
      const options = request.getOptions();
      const proposed = request.getProposedMessage();
      if (options !== undefined) {
        stream = streamName(options.getStreamIdentifier());
        expected = expectedOf(options);
      }
      if (proposed !== undefined) proposals.push(proposalOf(proposed));
    });
    call.on('end', () => {
      const written = this.door.write(call, () => this.store.append(stream, proposals, expected));
      if (written === 'silence') return;
      if (written instanceof Error) answer(written);
      else if (written.outcome === 'wrong revision') answer(null, wrongRevision(expected, written.actual));
      else if ('revision' in written) answer(null, success(written.revision, written.place));
      else answer(refusal(stream, written));
    });
  };

  tombstone = (call: ServerUnaryCall<TombstoneReq, TombstoneResp>, answer: sendUnaryData<TombstoneResp>): void => {
    this.calls.tombstone += 1;
    const options = call.request.getOptions()!;
    const stream = streamName(options.getStreamIdentifier());
    const expected = expectedOf(options);
    const written = this.door.write(call, () => this.store.tombstone(stream, expected));
    if (written === 'silence') return;
    if (written instanceof Error) answer(written);
    else if ('revision' in written) answer(null, new streams.TombstoneResp());
    else if (written.outcome === 'wrong revision') {
      answer(
        rpcError(status.FAILED_PRECONDITION, 'wrong-expected-version', {
          'stream-name': stream,
          'expected-version': String(typeof expected === 'number' ? expected : expected === 'none' ? -1 : -2),
          ...(written.actual < 0 ? {} : { 'actual-version': String(written.actual) }),
        }),
      );
    } else answer(refusal(stream, written));
  };

  batchAppend = (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void => {
    this.calls.batchAppend += 1;
    const open = new Map<string, { stream: string; expected: EsdbExpected; proposals: EsdbProposal[] }>();
    call.on('data', (request: BatchAppendReq) => {
      const correlation = request.getCorrelationId()!;
      const options = request.getOptions();
      if (options !== undefined) {
        const stream = streamName(options.getStreamIdentifier());
        open.set(correlation.getString(), { stream, expected: expectedOf(options), proposals: [] });
      }
      const batch = open.get(correlation.getString())!;
      batch.proposals.push(...request.getProposedMessagesList().map(proposalOf));
      if (!request.getIsFinal()) return;
      open.delete(correlation.getString());
      const { stream, expected, proposals } = batch;
      const written = this.door.write(call, () => this.store.append(stream, proposals, expected));
      if (written === 'silence') return;
      if (written instanceof Error) {
        call.emit('error', written);
        return;
      }
      const response = new streams.BatchAppendResp();
      response.setCorrelationId(correlation);
      response.setStreamIdentifier(identifierOf(stream));
      if ('revision' in written) response.setSuccess(batchSuccess(written.revision, written.place));
      else response.setError(batchError(stream, expected, written));
      call.write(response);
    });
    call.on('end', () => call.end());
  };
}

type Place = { readonly commit: bigint; readonly prepare: bigint } | undefined;

function success(revision: number, place: Place): AppendResp {
  const done = new streams.AppendResp.Success();
  done.setCurrentRevision(String(revision));
  if (place === undefined) done.setNoPosition(new shared.Empty());
  else {
    const position = new streams.AppendResp.Position();
    position.setCommitPosition(String(place.commit));
    position.setPreparePosition(String(place.prepare));
    done.setPosition(position);
  }
  const response = new streams.AppendResp();
  response.setSuccess(done);
  return response;
}

function wrongRevision(expected: EsdbExpected, actual: number): AppendResp {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (actual < 0) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(actual));
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else if (expected === 'none') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'exists') wrong.setExpectedStreamExists(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  const response = new streams.AppendResp();
  response.setWrongExpectedVersion(wrong);
  return response;
}

function refusal(stream: string, written: EsdbWritten): Error {
  if (written.outcome === 'deleted')
    return rpcError(status.FAILED_PRECONDITION, 'stream-deleted', { 'stream-name': stream });
  const limit = written.outcome === 'too large' ? written.limit : 0;
  return rpcError(status.INVALID_ARGUMENT, 'maximum-append-size-exceeded', { 'maximum-append-size': String(limit) });
}

function batchSuccess(revision: number, place: Place): BatchAppendResp.Success {
  const done = new streams.BatchAppendResp.Success();
  done.setCurrentRevision(String(revision));
  if (place === undefined) done.setNoPosition(new emptyPb.Empty());
  else {
    const position = new shared.AllStreamPosition();
    position.setCommitPosition(String(place.commit));
    position.setPreparePosition(String(place.prepare));
    done.setPosition(position);
  }
  return done;
}

function batchError(stream: string, expected: EsdbExpected, written: EsdbWritten) {
  const details = new anyPb.Any();
  const pack = (message: { serializeBinary(): Uint8Array }, name: string) =>
    details.pack(message.serializeBinary(), `event_store.client.${name}`);
  if (written.outcome === 'wrong revision') {
    const wrong = new shared.WrongExpectedVersion();
    if (written.actual < 0) wrong.setCurrentNoStream(new emptyPb.Empty());
    else wrong.setCurrentStreamRevision(String(written.actual));
    if (typeof expected === 'number') wrong.setExpectedStreamPosition(String(expected));
    pack(wrong, 'WrongExpectedVersion');
  } else if (written.outcome === 'deleted') {
    const deleted = new shared.StreamDeleted();
    deleted.setStreamIdentifier(identifierOf(stream));
    pack(deleted, 'StreamDeleted');
  } else {
    const tooLarge = new shared.MaximumAppendSizeExceeded();
    if (written.outcome === 'too large') tooLarge.setMaxappendsize(written.limit);
    pack(tooLarge, 'MaximumAppendSizeExceeded');
  }
  const error = new statusPb.Status();
  error.setDetails(details);
  error.setMessage(written.outcome);
  return error;
}
