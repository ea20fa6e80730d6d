import { keyringBehaviour, serverDatabase } from '#testing';

keyringBehaviour('a server', serverDatabase);
