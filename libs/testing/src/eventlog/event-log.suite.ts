import { afterAll, beforeAll, describe } from '@jest/globals';
import type { EventLog } from '#platform/eventlog';
import { appendBehaviour } from './append.behaviour.js';
import { idempotenceBehaviour } from './idempotence.behaviour.js';
import { limitsBehaviour } from './limits.behaviour.js';
import { readBehaviour } from './read.behaviour.js';
import { retentionBehaviour } from './retention.behaviour.js';
import { subscribeBehaviour } from './subscribe.behaviour.js';
import type { OpenLog } from './log-driver.js';

/**
 * What every implementation of the event log does. The engine may hold other events and have other writers: each test
 * writes to streams of its own and looks only at those.
 */
export function eventLogBehaviour(name: string, open: OpenLog): void {
  describe(`${name} as an event log`, () => {
    let opened: Awaited<ReturnType<OpenLog>> | undefined;
    const log = (): EventLog => {
      if (opened === undefined) throw new Error('The log was not opened.');
      return opened.log;
    };
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.close();
    });

    describe('append', () => appendBehaviour(log));
    describe('append again', () => idempotenceBehaviour(log));
    describe('content', () => limitsBehaviour(log));
    describe('read', () => readBehaviour(log));
    describe('subscribe', () => subscribeBehaviour(log));
    describe('retention', () => retentionBehaviour(log));
  });
}
