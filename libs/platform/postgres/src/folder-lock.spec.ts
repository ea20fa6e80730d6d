import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { heldLock, lockFolder, readHolder } from './folder-lock.js';

describe('the lock on a data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'scriptorium-lock-'));
  });
  afterEach(async () => {
    await (await heldLock(folder))?.release();
    await rm(folder, { recursive: true, force: true });
  });

  const leaveBehind = (host: string, heartbeat: Date) =>
    writeFile(
      join(folder, 'lock.json'),
      JSON.stringify({ host, pid: 1, since: heartbeat.toISOString(), heartbeat: heartbeat.toISOString() }),
    );

  it('is taken once, and says who has it', async () => {
    await lockFolder(folder);
    const second = lockFolder(folder);
    await expect(second).rejects.toMatchObject({ code: 'DATA_DIR_HELD', details: { holder: { pid: process.pid } } });
    await expect(second).rejects.toThrow(`process ${process.pid} on ${hostname()}`);
  });

  it('is the same lock through a symbolic link', async () => {
    await lockFolder(folder);
    const link = `${folder}-link`;
    await symlink(folder, link);
    await expect(lockFolder(link)).rejects.toMatchObject({ code: 'DATA_DIR_HELD' });
    await rm(link);
  });

  it('can be taken again after it was released', async () => {
    const lock = await lockFolder(folder);
    await lock.release();
    expect(await readHolder(folder)).toBeUndefined();
    await expect(lockFolder(folder)).resolves.toBeDefined();
  });

  it('does not mind the lock file of a dead process of this machine', async () => {
    await leaveBehind(hostname(), new Date());
    await expect(lockFolder(folder)).resolves.toBeDefined();
  });

  it('respects another machine while its heart beats, and no longer', async () => {
    await leaveBehind('elsewhere', new Date());
    await expect(lockFolder(folder)).rejects.toThrow('process 1 on elsewhere');
    await leaveBehind('elsewhere', new Date(Date.now() - 60_000));
    await expect(lockFolder(folder)).resolves.toBeDefined();
  });

  it('tells where its holder answers', async () => {
    const lock = await lockFolder(folder);
    await lock.announce('http://127.0.0.1:7801');
    expect(await readHolder(folder)).toMatchObject({ url: 'http://127.0.0.1:7801', pid: process.pid });
  });
});
