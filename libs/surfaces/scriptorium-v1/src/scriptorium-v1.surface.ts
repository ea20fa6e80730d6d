import type { Surface } from '#platform/http-kit';
import { failScriptorium } from './scriptorium-v1.errors.js';

/** Answers for every path that no other surface owns, so it stands last. */
export const scriptoriumV1: Surface = {
  name: 'scriptorium-v1',
  title: 'Scriptorium REST v1',
  about: 'For people and scripts: events, read models, and the state of the server.',
  owns: () => true,
  fail: failScriptorium,
};
