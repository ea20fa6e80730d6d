import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '#kernel';
import { answerOf } from './answer.js';

const error = { code: 'SOME_CODE', message: 'It is so.', hint: 'Do this.', details: {}, request_id: 'r-1' };
const refusalIn = (status: number, body: string) => {
  try {
    answerOf(status, body);
  } catch (thrown) {
    if (isRefusal(thrown)) return { code: thrown.code, kind: thrown.kind, hint: thrown.hint };
    throw thrown;
  }
  throw new Error('It was no refusal.');
};

describe('what a server answers', () => {
  it('is taken as it is', () => expect(answerOf(200, '{"items":[]}')).toEqual({ items: [] }));

  it('is a refusal in its own words', () =>
    expect(refusalIn(404, JSON.stringify({ error }))).toEqual({
      code: 'SOME_CODE',
      kind: 'invalid',
      hint: 'Do this.',
    }));

  it('names the request when it is a fault of its own', () =>
    expect(refusalIn(500, JSON.stringify({ error }))).toMatchObject({ kind: 'internal', hint: 'Do this. (r-1)' }));

  it('may be asked again when it is only away', () =>
    expect(refusalIn(503, JSON.stringify({ error }))).toMatchObject({ kind: 'unavailable' }));

  it.each([
    [200, '<html>'],
    [200, '3'],
    [404, '<html>'],
    [404, '{"error":"not found"}'],
    [502, ''],
  ])('is of somebody else: %i %s', (status, body) => expect(refusalIn(status, body).code).toBe('NOT_SCRIPTORIUM'));
});
