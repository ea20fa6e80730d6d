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
  return reply;
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
