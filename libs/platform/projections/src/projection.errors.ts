import { defineRefusals, isRefusal } from '#kernel';

export const refuseProjection = defineRefusals({
  PROJECTION_NOT_FOUND: {
    kind: 'not_found',
    message: 'There is no projection of that name.',
    hint: 'List the projections to see their names.',
  },
  REBUILD_RUNNING: {
    kind: 'conflict',
    message: 'This projection is being rebuilt already.',
    hint: 'Wait until that rebuild is done; the list of projections shows its progress.',
  },
  NOTHING_TO_ROLL_BACK_TO: {
    kind: 'conflict',
    message: 'There is no earlier build of this projection.',
    hint: 'A rollback is possible after a rebuild, as long as the build before it is kept.',
  },
  ROLLBACK_NEEDS_OLD_CODE: {
    kind: 'conflict',
    message: 'The earlier build was made by another version of the code.',
    hint: 'Start the version that made it, then roll back.',
  },
  EVENT_NOT_PARKED: {
    kind: 'not_found',
    message: 'No event of that id is parked here.',
    hint: 'List the parked events of the projection to see their ids.',
  },
  PROJECTION_IDLE: {
    kind: 'unavailable',
    message: 'No running process looks after this projection.',
    hint: 'Start the server, then ask again.',
  },
  LEASE_LOST: {
    kind: 'conflict',
    message: 'Another process has taken over this projection.',
    hint: 'Nothing to do: the other process goes on from the checkpoint.',
  },
});

/** Nobody's fault but an engine's, which will be back. */
export function isAway(error: unknown): boolean {
  return isRefusal(error) && error.kind === 'unavailable';
}
