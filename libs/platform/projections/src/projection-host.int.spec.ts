import { embeddedDatabase, projectionBehaviour, reactorBehaviour } from '#testing';

projectionBehaviour('the embedded database', embeddedDatabase);
reactorBehaviour('the embedded database', embeddedDatabase);
