import { defineRefusals } from '#kernel';

export const refuseContainer = defineRefusals({
  CONTAINER_NOT_FOUND: {
    kind: 'not_found',
    message: 'There is no such container.',
    hint: 'List the containers to see their ids and names.',
  },
  CONTAINER_EXISTS: {
    kind: 'conflict',
    message: 'A container with this id exists already.',
    hint: 'Create it without giving an id.',
  },
  CONTAINER_ARCHIVED: {
    kind: 'conflict',
    message: 'The container is archived.',
    hint: 'Restore it first by setting its state to active.',
  },
  ARCHIVE_UNFINISHED: {
    kind: 'unavailable',
    message: 'The container is archived, but the ones below it could not all be found in time.',
    hint: 'Ask again in a moment: what is archived stays so, and the rest follows.',
  },
  NAME_CLAIM_LOST: {
    kind: 'conflict',
    message: 'The name was given up before the container could take it.',
    hint: 'Try again.',
  },
  PARENT_NOT_FOUND: {
    kind: 'invalid',
    message: 'There is no container with the id given as parent.',
    hint: 'List the containers to see their ids, or leave the parent out.',
  },
  PARENT_ARCHIVED: {
    kind: 'invalid',
    message: 'The parent is archived.',
    hint: 'Restore the parent first, or choose another one.',
  },
  INVALID_MODALITIES: {
    kind: 'invalid',
    message: 'The modalities must be a list of different ones, at least one.',
    hint: 'Choose from text, pdf, image and web, each at most once.',
  },
  EMBEDDER_UNKNOWN: {
    kind: 'invalid',
    message: 'This embedder is not installed.',
    hint: 'Leave the embedder out to use the installed one, or name that one as the details show it.',
  },
  INVALID_POLICY: {
    kind: 'invalid',
    message: 'The policy does not hold together.',
    hint: 'Correct the policy fields named in the details.',
  },
  INVALID_TEXT: {
    kind: 'invalid',
    message: 'The text is empty, too long, or holds characters that cannot be stored.',
    hint: 'Correct the field named in the details.',
  },
});
