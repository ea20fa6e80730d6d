import { defineRefusals } from '#kernel';

export const refuseRun = defineRefusals({
  STREAM_BUSY: {
    kind: 'conflict',
    message: 'Others kept changing the same thing at the same time.',
    hint: 'Try again in a moment; nothing was changed.',
  },
});
