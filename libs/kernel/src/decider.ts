/** What happened, as a decider says it: a type that never changes its meaning, and the facts. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/**
 * The rules of one stream, as three pure functions. No clock, no ids, no I/O: whoever asks fetches those first and puts
 * them into the command.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  /** The state before the first event. */
  initial(): State;
  /** The events that follow from a command: none when nothing changes, a thrown Refusal when it may not be. */
  decide(command: Command, state: State): readonly Event[];
  /** The state after an event. Holds no rules. */
  evolve(state: State, event: Event): State;
}
