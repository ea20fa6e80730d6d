import { serverDatabase, snapshotsBehaviour } from '#testing';

snapshotsBehaviour('a server', serverDatabase);
