import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, preparedDataDir, ServerProcess } from '#testing';

const ROUNDS = 5;
const WRITERS = 8;

describe('kill -9 of the server under load', () => {
  let dataDir: string;
  let server: ServerProcess;
  const acknowledged = new Map<string, string>();

  beforeAll(async () => {
    dataDir = await preparedDataDir();
  });
  afterEach(() => server.stop('SIGKILL'));
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
    'round %i: every acknowledged container reads, and every name is free or taken as it was',
    async (round) => {
      server = ServerProcess.start({ DATA_DIR: dataDir });
      const url = await server.url();
      const before = acknowledged.size;
      const writers = Array.from({ length: WRITERS }, (_, writer) => createUntilGone(url, `r${round}-w${writer}`));
      while (acknowledged.size < before + 20) await sleep(5);
      await sleep(Math.random() * 200);
      await server.stop('SIGKILL');
      await Promise.all(writers);

      server = ServerProcess.start({ DATA_DIR: dataDir });
      const again = await server.url();
      for (const [name, id] of acknowledged) {
        const described = () => post(`${again}/v1/containers/describe`, { container: name });
        // An answer marked as stale says itself that it may lack something.
        const { status, body } = await eventually(described, ({ stale }) => !stale);
        expect({ status, id: (body['container'] as { id: string } | undefined)?.id }).toEqual({ status: 200, id });
      }
      const [taken] = acknowledged.keys();
      expect((await post(`${again}/v1/containers/create`, { name: taken, theme: 'again' })).status).toBe(400);
    },
  );

  async function createUntilGone(url: string, prefix: string): Promise<void> {
    for (let at = 0; ; at += 1) {
      const name = `${prefix}-${at}`;
      // The killed server answers no more: that ends the load, and acknowledges nothing.
      const answer = await post(`${url}/v1/containers/create`, { name, theme: 'load' }).catch(() => undefined);
      if (answer === undefined) return;
      expect(answer.status).toBe(200);
      acknowledged.set(name, String(answer.body['container_id']));
    }
  }
});

async function post(url: string, body: object) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const stale = answer.headers.has('x-stale');
  return { status: answer.status, stale, body: (await answer.json()) as Record<string, unknown> };
}
