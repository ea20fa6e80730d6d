import { describe, expect, it } from '@jest/globals';
import { EventCatalog, type EventSpec } from './event-catalog.js';
import type { JsonObject } from './event-log.js';

const same = (data: JsonObject) => data;

describe('The event catalog', () => {
  it.each<[string, EventSpec[], RegExp]>([
    [
      'a type declared twice',
      [
        { type: 'Noted', version: 1 },
        { type: 'Noted', version: 1 },
      ],
      /Noted is declared twice/,
    ],
    ['an empty type', [{ type: '', version: 1 }], /not empty/],
    ['a type of the engine', [{ type: '$noted', version: 1 }], /does not start with \$/],
    ['version 0', [{ type: 'Noted', version: 0 }], /version of 1 or more/],
    ['half a version', [{ type: 'Noted', version: 1.5 }], /version of 1 or more/],
    ['no upcast at all', [{ type: 'Noted', version: 2 }], /no upcast from version 1 to 2/],
    ['a gap in the upcasts', [{ type: 'Noted', version: 3, upcasts: { 1: same } }], /no upcast from version 2 to 3/],
    ['an upcast from the current version', [{ type: 'Noted', version: 1, upcasts: { 1: same } }], /is at version 1/],
    [
      'no sealed field',
      [{ type: 'Noted', version: 1, sealed: { subject: () => 'x', fields: [] } }],
      /sealed fields once/,
    ],
    [
      'a field sealed twice',
      [{ type: 'Noted', version: 1, sealed: { subject: () => 'x', fields: ['a', 'a'] } }],
      /sealed fields once/,
    ],
  ])('refuses %s', (_, specs, message) => {
    expect(() => new EventCatalog(specs)).toThrow(message);
  });

  it('names the type that is not declared', () => {
    expect(() => new EventCatalog([]).get('Vanished')).toThrow('Event type Vanished is not declared.');
  });

  it('runs the upcasts from the stored version to the current one, in order', () => {
    const catalog = new EventCatalog([
      {
        type: 'Measured',
        version: 3,
        upcasts: {
          1: ({ inches, ...rest }) => ({ ...rest, cm: Number(inches) * 2.54 }),
          2: ({ cm, ...rest }) => ({ ...rest, mm: Number(cm) * 10 }),
        },
      },
    ]);
    expect(catalog.upcast('Measured', 1, { inches: 2 })).toEqual({ mm: 50.8 });
    expect(catalog.upcast('Measured', 2, { cm: 3 })).toEqual({ mm: 30 });
    expect(catalog.upcast('Measured', 3, { mm: 7 })).toEqual({ mm: 7 });
  });

  it('leaves the data of a type it does not know alone', () => {
    const data = { anything: true };
    expect(new EventCatalog([]).upcast('Later', 7, data)).toBe(data);
  });

  it('refuses to guess what a newer schema means', () => {
    const catalog = new EventCatalog([{ type: 'Noted', version: 1 }]);
    expect(() => catalog.upcast('Noted', 2, {})).toThrow(expect.objectContaining({ code: 'EVENT_TOO_NEW' }));
  });

  it('has another fingerprint when stored events come out differently, and only then', () => {
    const of = (...specs: EventSpec[]) => new EventCatalog(specs).fingerprint;
    const two: EventSpec = { type: 'Noted', version: 2, upcasts: { 1: same } };
    const other: EventSpec = { type: 'Filed', version: 1 };
    expect(of(two, other)).toBe(of(two));
    expect(of(other, two)).toBe(of(two, other));
    expect(of({ type: 'Noted', version: 1 })).not.toBe(of(two));
    expect(of({ ...two, upcasts: { 1: (data) => ({ ...data, x: 1 }) } })).not.toBe(of(two));
  });
});
