import { describe, expect, it } from '@jest/globals';
import { defineRefusals, type Decider } from '#kernel';
import { specFor } from './decider-spec.js';

type Event = { readonly type: 'Added'; readonly data: { readonly n: number } };
interface Counter {
  total: number;
}
type Command = 'add' | 'wait' | 'overflow' | 'crash' | 'cheat';

const refuse = defineRefusals({ TOO_MUCH: { kind: 'conflict', message: 'Too much.', hint: 'Add less.' } });

const counter: Decider<Counter, Command, Event> = {
  initial: () => ({ total: 0 }),
  decide: (command, state) => {
    switch (command) {
      case 'add':
        return [{ type: 'Added', data: { n: state.total + 1 } }];
      case 'wait':
        return [];
      case 'overflow':
        throw refuse('TOO_MUCH');
      case 'crash':
        throw new Error('A fault.');
      case 'cheat':
        state.total = 100;
        return [];
    }
  },
  evolve: (state, event) => ({ total: state.total + event.data.n }),
};

const added = (n: number): Event => ({ type: 'Added', data: { n } });

describe('specFor', () => {
  const given = specFor(counter);

  it('passes when the expectation is met', () => {
    given().when('add').then(added(1));
    given(added(2), added(3)).when('add').then(added(6));
    given().when('wait').thenNothing();
    given().when('overflow').thenRefused('TOO_MUCH');
  });

  it.each<[string, () => void]>([
    ['other events', () => given().when('add').then(added(2))],
    ['fewer events', () => given().when('add').then(added(1), added(1))],
    ['events instead of silence', () => given().when('add').thenNothing()],
    ['silence instead of events', () => given().when('wait').then(added(1))],
    ['events instead of a refusal', () => given().when('add').thenRefused('TOO_MUCH')],
    ['another refusal', () => given().when('overflow').thenRefused('TOO_LITTLE')],
    ['a refusal instead of events', () => given().when('overflow').then(added(1))],
    ['a refusal instead of silence', () => given().when('overflow').thenNothing()],
    ['a fault', () => given().when('crash').thenRefused('TOO_MUCH')],
    ['a decision that changes the state', () => given(added(1)).when('cheat').thenNothing()],
  ])('fails on %s', (_, broken) => {
    expect(broken).toThrow();
  });
});
