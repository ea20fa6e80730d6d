import { embeddedDatabase, snapshotsBehaviour } from '#testing';

snapshotsBehaviour('the embedded database', embeddedDatabase);
