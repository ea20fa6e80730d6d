import { defineRefusals } from '#kernel';

export const refuseMaintenance = defineRefusals({
  INVALID_CURSOR: {
    kind: 'invalid',
    message: 'The cursor is not one of this list.',
    hint: 'Use next_cursor of the page before, with the same stream and direction.',
  },
  PROJECTION_UNKNOWN: {
    kind: 'not_found',
    message: 'There is no projection of that name.',
    hint: 'List the projections to see their names.',
  },
  NO_REBUILD: {
    kind: 'not_found',
    message: 'This projection has not been rebuilt since the server started.',
    hint: 'Start a rebuild, then ask again.',
  },
});
