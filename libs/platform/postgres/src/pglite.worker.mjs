// The embedded Postgres, in a thread of its own: bytes of the wire protocol come in, bytes go out.
import fs from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { vector } from '@electric-sql/pglite-pgvector';

// PGlite's own file system answers fsync without syncing anything; a commit must survive a power cut.
class DurableFS extends NodeFS {
  async init(pg, options) {
    const { emscriptenOpts } = await super.init(pg, options);
    const wireFsync = (module) => {
      module.FS.filesystems.NODEFS.stream_ops.fsync = (stream) => {
        fs.fsyncSync(stream.nfd);
        return 0;
      };
    };
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [wireFsync, ...emscriptenOpts.preRun] } };
  }
}

const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...Object.entries(workerData.parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

const pglite = await PGlite.create({
  fs: new DurableFS(workerData.folder),
  extensions: { vector },
  startParams,
});

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
