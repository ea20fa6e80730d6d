import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ERASED, isErased } from '#kernel';
import { InMemoryKeys } from '#testing';
import { EventCodec, SEALED_FIELD } from './codec.js';
import { contextOf, type EventContext } from './codec-metadata.js';
import { EventCatalog, type EventSpec } from './event-catalog.js';
import type { JsonObject, NewEvent, StoredEvent } from './event-log.js';
import { positionOf } from './position.js';

const context: EventContext = {
  caller: { kind: 'human', id: 'ann', roles: ['editor'] },
  correlationId: 'correlation',
  executionId: 'execution',
  operation: 'write_note',
  at: new Date('2026-01-02T03:04:05.678Z'),
};

const subject = (data: JsonObject) => `note-${data['id'] as string}`;

const noteWritten: EventSpec = {
  type: 'NoteWritten',
  version: 1,
  sealed: { subject, fields: ['title', 'body'] },
};

const stored = (event: NewEvent): StoredEvent => ({
  ...(JSON.parse(JSON.stringify(event)) as NewEvent),
  stream: 'note-1',
  revision: 0,
  position: positionOf(1n),
  recordedAt: new Date(0),
});

function set(specs: EventSpec[] = [noteWritten]) {
  const keys = new InMemoryKeys();
  const codec = new EventCodec(new EventCatalog(specs), keys);
  const seal = async (data: unknown, type = 'NoteWritten', id: string = randomUUID()) =>
    stored((await codec.seal([{ type, data }], [id], context))[0]!);
  const open = async (event: StoredEvent) => (await codec.open([event]))[0]!;
  return { keys, codec, seal, open };
}

const note = { id: '1', title: 'Secret title', body: 'Very secret body', lines: 3 };

describe('Sealed fields', () => {
  it('come back as they went in, whatever they hold', async () => {
    const { seal, open } = set();
    const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<never>;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), value, fc.option(value), async (id, title, body) => {
        const data = JSON.parse(JSON.stringify({ id, title, body })) as JsonObject;
        expect((await open(await seal(data))).data).toEqual(data);
      }),
    );
  });

  it('leave no plain text in what is stored', async () => {
    const { seal } = set();
    const word = fc.stringMatching(/^[A-Za-z]{12,40}$/);
    await fc.assert(
      fc.asyncProperty(word, word, async (title, body) => {
        const text = JSON.stringify(await seal({ id: '1', title, body: { deep: [body] } }));
        for (const secret of [title, body]) {
          expect(text).not.toContain(secret);
          expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(0, 12));
        }
      }),
    );
  });

  it('leave the other fields readable and say whose they are', async () => {
    const { seal, open } = set();
    const event = await seal(note);
    expect(event.data).toMatchObject({ id: '1', lines: 3, [SEALED_FIELD]: { v: 1, subject: 'note-1' } });
    expect(Object.keys(event.data).sort()).toEqual([SEALED_FIELD, 'id', 'lines']);
    expect((await open(event)).subject).toBe('note-1');
  });

  it('never look the same twice', async () => {
    const { seal } = set();
    const id = randomUUID();
    const [one, two] = [await seal(note, 'NoteWritten', id), await seal(note, 'NoteWritten', id)];
    expect(one.data[SEALED_FIELD]).not.toEqual(two.data[SEALED_FIELD]);
  });

  it('need no envelope when none of them is there', async () => {
    const { seal, open } = set();
    const event = await seal({ id: '1', lines: 0, title: undefined });
    expect(event.data).toEqual({ id: '1', lines: 0 });
    expect(await open(event)).not.toHaveProperty('subject');
  });

  it('read as erased when the key is gone, and only those that were there', async () => {
    const { seal, open, keys } = set();
    const [whole, part] = [await seal(note), await seal({ id: '1', title: 'only' })];
    keys.erase('note-1');
    expect((await open(whole)).data).toEqual({ id: '1', lines: 3, title: ERASED, body: ERASED });
    expect((await open(part)).data).toEqual({ id: '1', title: ERASED });
  });

  it('cannot be written for an erased subject', async () => {
    const { seal, keys } = set();
    keys.erase('note-1');
    await expect(seal(note)).rejects.toMatchObject({ code: 'SUBJECT_ERASED' });
  });

  it('open without the spec: a newer version wrote the type', async () => {
    const { seal, keys } = set();
    const event = await seal(note);
    const older = new EventCodec(new EventCatalog([]), keys);
    expect((await older.open([event]))[0]?.data).toEqual(note);
  });
});

describe('An envelope', () => {
  const changed = (event: StoredEvent, change: (envelope: Record<string, unknown>) => unknown): StoredEvent => ({
    ...event,
    data: { ...event.data, [SEALED_FIELD]: change(event.data[SEALED_FIELD] as Record<string, unknown>) } as JsonObject,
  });
  const flip = (box: string) => {
    const bytes = Buffer.from(box, 'base64');
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    return bytes.toString('base64');
  };

  it.each<[string, (event: StoredEvent) => StoredEvent]>([
    ['moved to another event', (event) => ({ ...event, id: randomUUID() })],
    ['moved to another type', (event) => ({ ...event, type: 'NoteForged' })],
    [
      'with a bit flipped',
      (event) => changed(event, (envelope) => ({ ...envelope, box: flip(String(envelope['box'])) })),
    ],
    ['cut short', (event) => changed(event, (envelope) => ({ ...envelope, box: 'AAAA' }))],
    ['with other field names', (event) => changed(event, (envelope) => ({ ...envelope, fields: ['title'] }))],
    ['of another make', (event) => changed(event, (envelope) => ({ ...envelope, v: 2 }))],
    ['that is no envelope', (event) => changed(event, () => 'nothing')],
  ])('%s is an error, not an erasure', async (_, tamper) => {
    const { seal, open } = set();
    await expect(open(tamper(await seal(note)))).rejects.toMatchObject({
      code: 'ENVELOPE_BROKEN',
      details: { stream: 'note-1', revision: 0 },
    });
  });

  it('moved to another subject is an error too', async () => {
    const { seal, open } = set();
    await seal({ ...note, id: '2' });
    const moved = changed(await seal(note), (envelope) => ({ ...envelope, subject: 'note-2' }));
    await expect(open(moved)).rejects.toMatchObject({ code: 'ENVELOPE_BROKEN' });
  });

  it('still opens when the engine writes the event id in capitals', async () => {
    const { seal, open } = set();
    const event = await seal(note);
    expect((await open({ ...event, id: event.id.toUpperCase() })).data).toEqual(note);
  });
});

describe('Writing', () => {
  it('names a type that is not declared', async () => {
    const { seal } = set();
    await expect(seal({}, 'Vanished')).rejects.toMatchObject({
      code: 'EVENT_UNDECLARED',
      details: { type: 'Vanished' },
    });
  });

  it.each<[string, unknown]>([
    ['a date', { at: new Date(0) }],
    ['a number JSON does not know', { n: NaN }],
    ['a big integer', { n: 1n }],
    ['a map', { map: new Map() }],
    ['a hole in a list', { list: [undefined] }],
    ['a list instead of an object', []],
    ['nothing', undefined],
  ])('refuses data that would come back differently: %s', async (_, data) => {
    await expect(set().seal(data)).rejects.toMatchObject({ code: 'EVENT_NOT_JSON' });
  });

  it('refuses data that pretends to be sealed', async () => {
    await expect(set().seal({ [SEALED_FIELD]: {} })).rejects.toMatchObject({ code: 'EVENT_FIELD_RESERVED' });
  });

  it('refuses sealed fields that belong to nobody', async () => {
    const { seal } = set([{ ...noteWritten, sealed: { subject: () => '', fields: ['title'] } }]);
    await expect(seal(note)).rejects.toThrow(/whose/);
  });
});

describe('Upcasting', () => {
  const versions: EventSpec[] = [
    noteWritten,
    {
      ...noteWritten,
      version: 2,
      sealed: { subject, fields: ['heading', 'body'] },
      upcasts: { 1: ({ title, ...rest }) => ({ ...rest, heading: title ?? null }) },
    },
    {
      ...noteWritten,
      version: 3,
      sealed: { subject, fields: ['heading', 'body'] },
      upcasts: {
        1: ({ title, ...rest }) => ({ ...rest, heading: title ?? null }),
        2: ({ body, ...rest }) => ({ ...rest, body: isErased(body) ? body : { text: body ?? '' } }),
      },
    },
  ];
  const codecOf = (version: number, keys: InMemoryKeys) =>
    new EventCodec(new EventCatalog([versions[version - 1]!]), keys);

  it('brings every stored version to the current one, after opening', async () => {
    const keys = new InMemoryKeys();
    const write = async (version: number, data: JsonObject) =>
      stored((await codecOf(version, keys).seal([{ type: 'NoteWritten', data }], [randomUUID()], context))[0]!);
    const old = [
      await write(1, { id: '1', title: 'one', body: 'text' }),
      await write(2, { id: '1', heading: 'two', body: 'text' }),
      await write(3, { id: '1', heading: 'three', body: { text: 'text' } }),
    ];
    const opened = await codecOf(3, keys).open(old);
    expect(opened.map((event) => event.data)).toEqual(
      ['one', 'two', 'three'].map((heading) => ({ id: '1', heading, body: { text: 'text' } })),
    );
    expect(opened.map((event) => event.metadata.schema_version)).toEqual([1, 2, 3]);

    keys.erase('note-1');
    for (const event of await codecOf(3, keys).open(old)) {
      expect(event.data).toEqual({ id: '1', heading: ERASED, body: ERASED });
    }
  });
});

describe('Metadata', () => {
  const full: EventContext = {
    ...context,
    caller: { kind: 'agent', id: 'agent:7', roles: ['agent'], agent: { name: 'scribe', version: '1.2' } },
    causationId: 'cause',
    constitutionVersion: 4,
    verdicts: [{ gate: 'data_governance', verdict: 'pass' }],
    facts: { body_length: 12 },
  };

  it('says the circumstances in the words of the log', async () => {
    const { codec } = set();
    const [event] = await codec.seal([{ type: 'NoteWritten', data: { id: '1' } }], [randomUUID()], full);
    expect(event?.metadata).toEqual({
      schema_version: 1,
      at: '2026-01-02T03:04:05.678Z',
      caller: { kind: 'agent', id: 'agent:7', roles: ['agent'], agent_name: 'scribe', agent_version: '1.2' },
      correlation_id: 'correlation',
      causation_id: 'cause',
      execution_id: 'execution',
      operation: 'write_note',
      constitution_version: 4,
      verdicts: [{ gate: 'data_governance', verdict: 'pass' }],
      facts: { body_length: 12 },
    });
  });

  it.each([
    ['little', context],
    ['everything', full],
  ])('comes back as the context it was, with %s in it', async (_, given) => {
    const { codec, open } = set();
    const [event] = await codec.seal([{ type: 'NoteWritten', data: { id: '1' } }], [randomUUID()], given);
    expect(contextOf((await open(stored(event!))).metadata)).toEqual(given);
  });

  it('is made up from what is known for events that other software wrote', async () => {
    const id = randomUUID();
    const { metadata } = await set().open(stored({ id, type: 'Foreign', data: {}, metadata: { shade: 'blue' } }));
    expect(metadata).toMatchObject({
      schema_version: 1,
      at: '1970-01-01T00:00:00.000Z',
      execution_id: id,
      shade: 'blue',
    });
    expect(contextOf(metadata).caller).toEqual({ kind: 'service', id: 'unknown', roles: [] });
  });
});
