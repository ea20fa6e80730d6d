// Appends to the embedded log of the folder given, as fast as it can, and says on stdout which batches were acknowledged.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { PostgresEventLog } from '#platform/eventlog';
import { openEmbedded } from '#platform/postgres';

const database = await openEmbedded({ dataDir: process.argv[2] });
const log = new PostgresEventLog(database);

async function write(stream) {
  let revision = -1;
  for (;;) {
    const batch = randomUUID();
    const size = 1 + Math.floor(Math.random() * 10);
    const events = Array.from({ length: size }, (_, index) => ({
      id: randomUUID(),
      type: 'Written',
      data: { batch, index, size, text: 'x'.repeat(Math.floor(Math.random() * 2_000)) },
      metadata: {},
    }));
    revision = (await log.append(stream, events, revision < 0 ? 'none' : revision)).revision;
    writeSync(1, `${batch}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, () => write(`kill-${randomUUID()}`)));
