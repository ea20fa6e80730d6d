import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresEventLog } from '#platform/eventlog';
import { openEmbedded } from '#platform/postgres';
import { eventually, preparedDataDir } from '#testing';

const ROUNDS = 20;

describe('kill -9 in the middle of appends to the embedded log', () => {
  let dataDir: string;
  const acknowledged = new Set<string>();

  beforeAll(async () => {
    dataDir = await preparedDataDir();
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
    'round %i: every acknowledged event is there, no batch is partial',
    async () => {
      const before = acknowledged.size;
      for (const batch of await appendUntilKilled(dataDir)) acknowledged.add(batch);
      expect(acknowledged.size).toBeGreaterThan(before);

      const database = await openEmbedded({ dataDir });
      try {
        const { batches, revisions } = await everything(new PostgresEventLog(database));
        const missing = [...acknowledged].filter((batch) => !batches.has(batch));
        expect(missing).toEqual([]);
        const partial = [...batches].filter(
          ([, { size, indexes }]) => indexes.join() !== [...Array(size).keys()].join(),
        );
        expect(partial).toEqual([]);
        for (const found of revisions.values()) expect(found).toEqual(found.map((_, at) => at));
      } finally {
        await database.close();
      }
    },
  );
});

/** Gives the batches the process had acknowledged when it was killed, at a moment of chance. */
async function appendUntilKilled(dataDir: string): Promise<string[]> {
  const child = spawn(process.execPath, [resolve('test/faults/append-until-killed.mjs'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await eventually(
    () => ({ lines: output.split('\n').length, ended: child.exitCode }),
    ({ lines, ended }) => lines > 10 || ended !== null,
    30_000,
  );
  await sleep(Math.random() * 300);
  child.kill('SIGKILL');
  await once(child, 'close');
  if (child.signalCode !== 'SIGKILL') throw new Error(`The writer ended by itself, with ${child.exitCode}.`);
  // The last line may have been cut off in the middle; it is then no acknowledgement.
  return output.split('\n').slice(0, -1);
}

async function everything(log: PostgresEventLog) {
  const batches = new Map<string, { size: number; indexes: number[] }>();
  const revisions = new Map<string, number[]>();
  for await (const { stream, revision, data } of log.readAll()) {
    const { batch, index, size } = data as { batch: string; index: number; size: number };
    listed(batches, batch, () => ({ size, indexes: [] })).indexes.push(index);
    listed(revisions, stream, () => []).push(revision);
  }
  return { batches, revisions };
}

function listed<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const found = map.get(key) ?? create();
  map.set(key, found);
  return found;
}
