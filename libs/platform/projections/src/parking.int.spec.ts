import { embeddedDatabase, parkingBehaviour } from '#testing';

parkingBehaviour('the embedded database', embeddedDatabase);
