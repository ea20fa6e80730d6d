// The embedded Postgres, in a thread of its own: bytes of the wire protocol come in, bytes go out.
import { parentPort, workerData } from 'node:worker_threads';
import { startEngine } from './pglite-engine.mjs';

const pglite = await startEngine(workerData.folder);

async function answer(bytes) {
  const chunks = [];
  // The view points into WASM memory that the next call overwrites: copy it.
  await pglite.execProtocolRawStream(bytes, { onRawData: (view) => chunks.push(view.slice()) });
  const reply = new Uint8Array(chunks.reduce((total, chunk) => total + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    reply.set(chunk, offset);
    offset += chunk.length;
  }
  if (reply.at(-READY_BYTES) !== READY) throw new Error(`The embedded database broke down: ${lastWords(reply)}`);
  return reply;
}

// Every answer ends with ReadyForQuery. After a panic (a full disk, say) it is missing, and nothing would be answered again.
const READY = 0x5a;
const READY_BYTES = 6;

// The field M of an error message holds its text.
function lastWords(reply) {
  return /\0M([^\0]+)/.exec(Buffer.from(reply).toString())?.[1] ?? 'it did not say why.';
}

let last = Promise.resolve();
parentPort.on('message', (message) => {
  last = last.then(async () => {
    if (message.close) {
      await pglite.close();
      parentPort.postMessage({ closed: true });
      parentPort.close();
      return;
    }
    const reply = await answer(message.bytes);
    parentPort.postMessage({ reply }, [reply.buffer]);
  });
});
parentPort.postMessage({ ready: true });
