// How the embedded Postgres is started: in a worker thread to serve, in a process of its own to be made.
import fs from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { vector } from '@electric-sql/pglite-pgvector';

// Small, because it shares a laptop with everything else.
const PARAMETERS = {
  fsync: 'on',
  wal_sync_method: 'fsync',
  shared_buffers: '32MB',
  max_wal_size: '256MB',
  jit: 'off',
  timezone: 'UTC',
};

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

export function startEngine(folder) {
  const startParams = [
    ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
    ...Object.entries(PARAMETERS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  return PGlite.create({ fs: new DurableFS(folder), extensions: { vector }, startParams });
}
