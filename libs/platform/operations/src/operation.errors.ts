import { defineRefusals } from '#kernel';

export const refuseOperation = defineRefusals({
  PERMISSION_DENIED: {
    kind: 'forbidden',
    message: 'You may not do this.',
    hint: 'Use a token whose role carries the permission named in the details.',
  },
  OPERATION_TIMEOUT: {
    kind: 'timeout',
    message: 'The operation did not finish in time.',
    hint: 'Look whether it took effect before you repeat it.',
  },
  OPERATION_CANCELLED: {
    kind: 'cancelled',
    message: 'The operation was cancelled before it finished.',
    hint: 'Look whether it took effect before you repeat it.',
  },
});
