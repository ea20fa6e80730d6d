import { projectionBehaviour, reactorBehaviour, serverDatabase } from '#testing';

projectionBehaviour('a Postgres server', serverDatabase);
reactorBehaviour('a Postgres server', serverDatabase);
