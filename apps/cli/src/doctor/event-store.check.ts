import { isRefusal } from '#kernel';
import { connectEventStoreDb } from '#platform/eventlog';
import { ok, problem, type Check, type Examined } from './check.js';

const PATIENCE_MS = 3_000;

export async function checkEventStore({ settings: { eventStoreUrl } }: Examined): Promise<Check[]> {
  if (eventStoreUrl === undefined) return [ok('event log', 'In the database.')];
  try {
    const log = connectEventStoreDb({ url: eventStoreUrl, deadlineMs: PATIENCE_MS, patienceMs: PATIENCE_MS });
    try {
      await log.head();
      return [ok('event log', 'The EventStoreDB of EVENTSTORE_URL answers.')];
    } finally {
      await log.close();
    }
  } catch (error) {
    const reason = isRefusal(error) ? error.message : 'The EventStoreDB of EVENTSTORE_URL refuses.';
    return [problem('event log', reason, 'Start it, or correct EVENTSTORE_URL.')];
  }
}
