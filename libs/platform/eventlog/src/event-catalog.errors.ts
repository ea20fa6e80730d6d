import { defineRefusals } from '#kernel';

export const refuseEvent = defineRefusals({
  EVENT_UNDECLARED: {
    kind: 'internal',
    message: 'The event type is not declared.',
    hint: 'Add it to the event catalog of this process before writing it.',
  },
  EVENT_NOT_JSON: {
    kind: 'internal',
    message: 'The data of an event must be plain JSON.',
    hint: 'Write dates as text and leave out what JSON does not know.',
  },
  EVENT_FIELD_RESERVED: {
    kind: 'internal',
    message: 'The data of an event uses a reserved field.',
    hint: 'Choose a field name that does not start with $sealed.',
  },
  // Unavailable, not internal: readers wait until the newer process takes over, instead of parking what it will read well.
  EVENT_TOO_NEW: {
    kind: 'unavailable',
    message: 'The event was written by a newer version of this program.',
    hint: 'Upgrade this process; nothing needs to be repaired.',
  },
  ENVELOPE_BROKEN: {
    kind: 'internal',
    message: 'A sealed envelope does not belong to its event, or was changed.',
    hint: 'Compare the event with a backup: somebody or something wrote to the log directly.',
  },
});
