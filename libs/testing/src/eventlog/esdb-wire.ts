import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendReq, BatchAppendReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { EsdbExpected, EsdbPlace, EsdbProposal, EsdbRecord } from './esdb-store.js';

const TICKS_PER_MS = 10_000n;

export function streamName(identifier: StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');
}

export function identifierOf(stream: string): StreamIdentifier {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream, 'utf8'));
  return identifier;
}

/** What the three kinds of request for a write have in common. */
export function expectedOf(options: {
  hasAny(): boolean;
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
  getRevision?(): string;
  getStreamPosition?(): string;
}): EsdbExpected {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'none';
  if (options.hasStreamExists()) return 'exists';
  return Number(options.getRevision?.() ?? options.getStreamPosition?.());
}

export function proposalOf(message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): EsdbProposal {
  const metadata = message.getMetadataMap();
  return {
    id: message.getId()?.getString().toLowerCase() ?? '',
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? '',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

export function eventMessage(record: EsdbRecord): ReadResp {
  const id = new shared.UUID();
  id.setString(record.id);
  const event = new streams.ReadResp.ReadEvent.RecordedEvent();
  event.setId(id);
  event.setStreamIdentifier(identifierOf(record.stream));
  event.setStreamRevision(String(record.revision));
  event.setCommitPosition(String(record.commit));
  event.setPreparePosition(String(record.prepare));
  event.setData(record.data);
  event.setCustomMetadata(record.metadata);
  const metadata = event.getMetadataMap();
  metadata.set('type', record.type);
  metadata.set('content-type', record.contentType);
  metadata.set('created', String(BigInt(record.createdMs) * TICKS_PER_MS));
  const read = new streams.ReadResp.ReadEvent();
  read.setEvent(event);
  read.setCommitPosition(String(record.commit));
  const response = new streams.ReadResp();
  response.setEvent(read);
  return response;
}

export function checkpointMessage(place: EsdbPlace): ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(String(place.commit));
  checkpoint.setPreparePosition(String(place.prepare));
  const response = new streams.ReadResp();
  response.setCheckpoint(checkpoint);
  return response;
}

/** An error as the engine sends it: a status, and what it means in the trailing metadata. */
export function rpcError(code: status, exception?: string, details: Record<string, string> = {}): ServiceError {
  const metadata = new Metadata();
  if (exception !== undefined) metadata.set('exception', exception);
  for (const [key, value] of Object.entries(details)) metadata.set(key, encodeHeader(value));
  const message = exception ?? status[code];
  return Object.assign(new Error(message), { code, details: message, metadata });
}

/** A header holds no more than visible ASCII. */
function encodeHeader(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '?');
}
