import { expect, it } from '@jest/globals';
import { MAX_APPEND_BYTES, sizeOf, type EventLog, type Json, type JsonObject, type NewEvent } from '#platform/eventlog';
import { collect, newEvent, newEvents, refusalOf, unique } from './log-driver.js';

const ODD_STRINGS: JsonObject = {
  plain: 'plain',
  accents: 'naïve façade, Ångström, żółć',
  cjk: '漢字かな交じり文',
  emoji: '👩‍🔬🧪 and 🏳️‍🌈',
  rtl: 'שלום عليكم',
  combining: 'e\u0301 is not \u00e9',
  quotes: '"\'`\\ / \u2028 \u2029',
  control: 'tab\tline\nnull\u0000bell\u0007',
  loneSurrogate: 'half \ud83d of a pair',
  empty: '',
};

const ODD_NUMBERS: JsonObject = {
  zero: 0,
  negative: -1,
  largestSafe: Number.MAX_SAFE_INTEGER,
  smallestSafe: Number.MIN_SAFE_INTEGER,
  asText: '9007199254740993',
  fraction: 0.1,
  tiny: 5e-324,
  huge: 1.7976931348623157e308,
  tenToThe21: 1e21,
  thirds: 1 / 3,
};

function nested(depth: number): Json {
  let value: Json = { bottom: [true, false, null, {}, []] };
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { level, value } : [level, value];
  return value;
}

function ofSize(bytes: number): NewEvent {
  const empty = newEvent('Filled', { text: '' });
  return newEvent('Filled', { text: 'x'.repeat(bytes - sizeOf(empty)) });
}

/** What goes in comes out exactly, and what cannot go in is refused before the engine sees it. */
export function limitsBehaviour(log: () => EventLog): void {
  it.each<[string, JsonObject]>([
    ['odd strings', ODD_STRINGS],
    ['odd numbers', ODD_NUMBERS],
    ['keys in their order', { zulu: 1, alpha: 2, Mike: 3, 'a b': 4, ключ: 5, '': 6, __proto: 7, constructor: 8 }],
    ['deep nesting', { deep: nested(120) }],
    ['nothing', {}],
    ['empty values', { list: [], object: {}, nothing: null, text: '' }],
  ])('gives back %s exactly, as data and as metadata', async (_, value) => {
    const stream = unique('stream');
    await log().append(stream, [{ ...newEvent(), data: value, metadata: value }], 'none');

    const [stored] = await collect(log().readStream(stream));
    expect(JSON.stringify(stored?.data)).toBe(JSON.stringify(value));
    expect(JSON.stringify(stored?.metadata)).toBe(JSON.stringify(value));
  });

  it('keeps odd stream names and types', async () => {
    const stream = unique('strøm \'x\' "y" %_\\ 漢');
    const type = "Type.with+[chars]? 'é'";
    await log().append(stream, [newEvent(type)], 'none');

    const [stored] = await collect(log().readStream(stream));
    expect(stored).toMatchObject({ stream, type });
  });

  it.each<[string, readonly NewEvent[]]>([
    ['no events', []],
    ['an id that is no uuid', [newEvent('Noted', {}, 'seven')]],
    ['an empty id', [newEvent('Noted', {}, '')]],
    ['an empty type', [newEvent('')]],
    ['a system type', [newEvent('$noted')]],
    [
      'the same id twice',
      [
        newEvent('Noted', {}, '6f1f0f5e-5d5e-4e0b-8f5a-0c4a3f0b7a11'),
        newEvent('Noted', {}, '6f1f0f5e-5d5e-4e0b-8f5a-0c4a3f0b7a11'),
      ],
    ],
    ['one bad event among good ones', [...newEvents(2), newEvent('Noted', {}, 'bad')]],
  ])('refuses %s', async (_, events) => {
    const stream = unique('stream');
    const refusal = await refusalOf(log().append(stream, events, 'any'));

    expect(refusal.code).toBe('INVALID_APPEND');
    expect(refusal.kind).toBe('invalid');
    expect(await collect(log().readStream(stream))).toEqual([]);
  });

  it.each(['', '$system', '$$metadata', 'x'.repeat(201)])('refuses the stream name %p', async (stream) => {
    expect((await refusalOf(log().append(stream, newEvents(1), 'any'))).code).toBe('INVALID_APPEND');
  });

  it.each([-1, -2, 0.5, Number.NaN, Infinity, 2 ** 60])(
    'refuses to expect the revision %p, and harms no neighbour',
    async (expected) => {
      const [stream, neighbour] = [unique('stream'), unique('neighbour')];
      const [refusal, appended] = await Promise.all([
        refusalOf(log().append(stream, newEvents(1), expected)),
        log().append(neighbour, newEvents(1), 'none'),
      ]);

      expect(refusal.code).toBe('INVALID_APPEND');
      expect(appended.revision).toBe(0);
      expect(await collect(log().readStream(stream))).toEqual([]);
    },
  );

  it('accepts an append of exactly the limit', async () => {
    const stream = unique('stream');
    const event = ofSize(MAX_APPEND_BYTES);
    await log().append(stream, [event], 'none');

    const [stored] = await collect(log().readStream(stream));
    expect(stored?.data).toEqual(event.data);
  });

  it.each<[string, () => NewEvent[]]>([
    ['one event', () => [ofSize(MAX_APPEND_BYTES + 1)]],
    ['several events together', () => [ofSize(MAX_APPEND_BYTES / 2), ofSize(MAX_APPEND_BYTES / 2), ofSize(100)]],
    [
      'text whose bytes outnumber its characters',
      () => [newEvent('Filled', { text: '漢'.repeat(MAX_APPEND_BYTES / 2) })],
    ],
  ])('refuses an append over the limit: %s', async (_, events) => {
    const stream = unique('stream');
    const refusal = await refusalOf(log().append(stream, events(), 'any'));

    expect(refusal.code).toBe('APPEND_TOO_LARGE');
    expect(refusal.kind).toBe('invalid');
    expect(refusal.details).toMatchObject({ stream, limit: MAX_APPEND_BYTES });
    expect(await collect(log().readStream(stream))).toEqual([]);
  });
}
