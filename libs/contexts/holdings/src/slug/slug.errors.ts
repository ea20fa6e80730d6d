import { defineRefusals } from '#kernel';

export const refuseSlug = defineRefusals({
  INVALID_NAME: {
    kind: 'invalid',
    message: 'The name is not one a container can have.',
    hint: 'Use letters, digits, underscores and hyphens, alone or as namespace/name, at most 200 characters, and no uuid.',
  },
  NAME_TAKEN: {
    kind: 'conflict',
    message: 'Another container has this name, or one that reads the same as a collection.',
    hint: 'Choose another name. A name whose creation was broken off becomes free after a minute.',
  },
});
