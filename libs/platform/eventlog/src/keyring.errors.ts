import { defineRefusals } from '#kernel';

export const refuseKey = defineRefusals({
  SUBJECT_ERASED: {
    kind: 'conflict',
    message: 'What this belongs to has been erased.',
    hint: 'Erasure is final: create it anew under another id.',
  },
  KEY_MISSING: {
    kind: 'internal',
    message: 'There is no data key for a sealed event, and no record of its erasure.',
    hint: 'Restore the table keys.data_keys from its backup, then re-apply the erasures.',
  },
  MASTER_KEY_MALFORMED: {
    kind: 'invalid',
    message: 'The master key is not 32 bytes in base64 or hexadecimal.',
    hint: 'Set MASTER_KEY to the output of: openssl rand -base64 32',
  },
  MASTER_KEY_EXPOSED: {
    kind: 'invalid',
    message: 'Others can read the file with the master key.',
    hint: 'Take the rights away from group and others: chmod 600.',
  },
  MASTER_KEY_MISSING: {
    kind: 'invalid',
    message: 'Sealed data exists, but the master key that opens it is not here.',
    hint: 'Put back the file master.key, or set MASTER_KEY.',
  },
  MASTER_KEY_MISMATCH: {
    kind: 'unavailable',
    message: 'This master key is not the one that the data keys were wrapped with.',
    hint: 'Set MASTER_KEY, or put back the file master.key, that this database was first used with.',
  },
});
