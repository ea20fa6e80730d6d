/** One record of the double's log, as the engine keeps it. */
export interface EsdbRecord {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
  readonly createdMs: number;
  readonly commit: bigint;
  readonly prepare: bigint;
}

export type EsdbProposal = Pick<EsdbRecord, 'id' | 'type' | 'contentType' | 'data' | 'metadata'>;
export type EsdbExpected = 'any' | 'none' | 'exists' | number;
export interface EsdbPlace {
  readonly commit: bigint;
  readonly prepare: bigint;
}

export type EsdbWritten =
  | { readonly outcome: 'written' | 'idempotent'; readonly revision: number; readonly place: EsdbPlace | undefined }
  | { readonly outcome: 'wrong revision'; readonly actual: number }
  | { readonly outcome: 'deleted' }
  | { readonly outcome: 'too large'; readonly limit: number };

interface Stream {
  readonly records: EsdbRecord[];
  deleted: boolean;
}

/** Where a log that has run for years might be: positions that no JavaScript number can hold. */
const FIRST_PLACE = 2n ** 60n + 1n;
const MAX_APPEND = 1024 * 1024;
/** The engine writes statistics of its own between everybody's events. */
const APPENDS_PER_STATISTICS = 7;

/** What EventStoreDB does with events, without the network. */
export class EsdbStore {
  readonly log: EsdbRecord[] = [];
  private readonly streams = new Map<string, Stream>();
  private recent = new Map<string, { readonly stream: string; readonly revision: number }[]>();
  private readonly listeners = new Set<() => void>();
  private end = FIRST_PLACE;
  private appends = 0;
  /** What an idempotent write is answered without, on some versions. */
  tellsPositionOfIdempotentWrite = true;

  append(stream: string, proposals: readonly EsdbProposal[], expected: EsdbExpected): EsdbWritten {
    const bytes = proposals.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    if (bytes > MAX_APPEND) return { outcome: 'too large', limit: MAX_APPEND };
    const found = this.streams.get(stream);
    if (found?.deleted === true) return { outcome: 'deleted' };
    const known = this.check(stream, found?.records ?? [], proposals, expected);
    if (known !== undefined) return known;
    this.write(stream, proposals);
    this.appends += 1;
    if (this.appends % APPENDS_PER_STATISTICS === 0) this.write('$stats-127.0.0.1:2113', [statistics(this.appends)]);
    this.tell();
    const last = this.streams.get(stream)!.records.at(-1)!;
    return { outcome: 'written', revision: last.revision, place: last };
  }

  tombstone(stream: string, expected: EsdbExpected): EsdbWritten {
    const found = this.streams.get(stream) ?? { records: [], deleted: false };
    if (found.deleted) return { outcome: 'deleted' };
    const actual = found.records.length - 1;
    const asExpected =
      expected === 'any' ||
      (expected === 'none' ? actual < 0 : expected === 'exists' ? actual >= 0 : actual === expected);
    if (!asExpected) return { outcome: 'wrong revision', actual };
    this.write(stream, [statistics(0, '$streamDeleted')]);
    this.streams.get(stream)!.deleted = true;
    this.tell();
    return { outcome: 'written', revision: actual + 1, place: this.log.at(-1)! };
  }

  /** What a reader of the stream is shown; `deleted` or `missing` instead of an empty answer. */
  read(stream: string): readonly EsdbRecord[] | 'deleted' | 'missing' {
    const found = this.streams.get(stream);
    if (found === undefined) return 'missing';
    if (found.deleted) return 'deleted';
    const { $maxCount: maxCount, $maxAge: maxAge } = this.metadataOf(stream);
    let kept: readonly EsdbRecord[] = found.records;
    if (maxCount !== undefined) kept = kept.slice(-maxCount);
    if (maxAge !== undefined) kept = kept.filter((record) => Date.now() - record.createdMs <= maxAge * 1000);
    return kept;
  }

  /** Idempotency under `any` is a cache in the engine's memory: a restart empties it. */
  forgetRecentIds(): void {
    this.recent = new Map();
  }

  onWrite(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The engine's own check before a write: undefined when it may go on. */
  private check(
    stream: string,
    records: readonly EsdbRecord[],
    proposals: readonly EsdbProposal[],
    expected: EsdbExpected,
  ): EsdbWritten | undefined {
    const actual = records.length - 1;
    const wrong: EsdbWritten = { outcome: 'wrong revision', actual };
    if (expected === 'exists' && actual < 0 && !this.streams.has(`$$${stream}`)) return wrong;
    if (expected === 'any' || expected === 'exists') {
      const places = proposals.map(({ id }) => this.recent.get(id)?.find((place) => place.stream === stream)?.revision);
      // Only the first id decides whether this is taken for a new write.
      if (places[0] === undefined) return undefined;
      return places.includes(undefined) ? wrong : this.idempotent(records, places.at(-1)!);
    }
    const last = expected === 'none' ? -1 : expected;
    if (last > actual) return wrong;
    if (last === actual) return undefined;
    const same = proposals.every(({ id }, n) => records[last + 1 + n]?.id === id);
    return same ? this.idempotent(records, last + proposals.length) : wrong;
  }

  private idempotent(records: readonly EsdbRecord[], revision: number): EsdbWritten {
    return {
      outcome: 'idempotent',
      revision,
      place: this.tellsPositionOfIdempotentWrite ? records[revision] : undefined,
    };
  }

  private write(stream: string, proposals: readonly EsdbProposal[]): void {
    const found = this.streams.get(stream) ?? { records: [], deleted: false };
    this.streams.set(stream, found);
    const prepares = proposals.map((proposal) => {
      const prepare = this.end;
      this.end += BigInt(proposal.data.length + proposal.metadata.length + 180);
      return prepare;
    });
    // One commit for all of them, as in an explicit transaction: only the pair tells two events apart.
    const commit = prepares.at(-1)!;
    for (const [n, proposal] of proposals.entries()) {
      const revision = found.records.length;
      const record = { ...proposal, stream, revision, createdMs: Date.now(), commit, prepare: prepares[n]! };
      found.records.push(record);
      this.log.push(record);
      this.recent.set(proposal.id, [...(this.recent.get(proposal.id) ?? []), { stream, revision }]);
    }
  }

  private metadataOf(stream: string): { $maxCount?: number; $maxAge?: number } {
    const last = this.streams.get(`$$${stream}`)?.records.at(-1);
    return last === undefined ? {} : (JSON.parse(Buffer.from(last.data).toString()) as object);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

function statistics(n: number, type = '$statsCollected'): EsdbProposal {
  return {
    id: crypto.randomUUID(),
    type,
    contentType: 'application/json',
    data: Buffer.from(JSON.stringify({ n })),
    metadata: Buffer.from('{}'),
  };
}

/** Order in the log. */
export function isAfter(a: EsdbPlace, b: EsdbPlace): boolean {
  return a.commit === b.commit ? a.prepare > b.prepare : a.commit > b.commit;
}
