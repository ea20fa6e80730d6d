import { defineRefusals } from '#kernel';

export const refuseMaintenance = defineRefusals({
  INVALID_CURSOR: {
    kind: 'invalid',
    message: 'The cursor is not one of this list.',
    hint: 'Use next_cursor of the page before, with the same stream and direction.',
  },
  NO_REBUILD: {
    kind: 'not_found',
    message: 'This projection has not been rebuilt yet.',
    hint: 'Start a rebuild, then ask again.',
  },
});
