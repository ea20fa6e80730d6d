import assert from 'node:assert/strict';
import { Refusal, type Decider, type DomainEvent } from '#kernel';

/** What can be expected of a decision. */
export interface Expectation<Event extends DomainEvent> {
  /** Exactly these events, in this order. */
  then(...expected: readonly Event[]): void;
  /** A refusal with exactly this code. */
  thenRefused(code: string): void;
  /** It stays quiet: no event, no refusal. */
  thenNothing(): void;
}

export interface Given<Command, Event extends DomainEvent> {
  when(command: Command): Expectation<Event>;
}

/**
 * Given/when/then for a decider: `const given = specFor(noteDecider)`, then
 * `given(proposedBy('ann')).when(publish({ by: 'ann' })).thenRefused('SELF_APPROVAL')`.
 * The state and the events it came from are frozen, so that a decider that changes what it was given fails.
 */
export function specFor<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
): (...history: readonly Event[]) => Given<Command, Event> {
  return (...history) => ({
    when: (command) => {
      const state = freeze(history.reduce((past, event) => decider.evolve(past, freeze(event)), decider.initial()));
      const decided = attempt(() => decider.decide(command, state));
      return {
        then: (...expected) => {
          assert.deepEqual(eventsOf(decided), expected);
        },
        thenRefused: (code) => {
          if (!(decided instanceof Refusal))
            assert.fail(`Expected ${code}, but it decided ${JSON.stringify(decided)}.`);
          assert.equal(decided.code, code);
        },
        thenNothing: () => {
          assert.deepEqual(eventsOf(decided), []);
        },
      };
    },
  });
}

function attempt<Event>(decide: () => readonly Event[]): readonly Event[] | Refusal {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function eventsOf<Event>(decided: readonly Event[] | Refusal): readonly Event[] {
  if (decided instanceof Refusal)
    assert.fail(`Expected events, but it was refused: ${decided.code} (${decided.message})`);
  return decided;
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const field of Object.values(value)) freeze(field);
  return value;
}
