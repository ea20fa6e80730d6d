import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ok, problem, warning, type Check, type Examined } from './check.js';

const GIGABYTE = 1024 ** 3;

/** The data folder: whether it can be written, whether there is room, whether its secrets are secret. */
export async function checkFolder({ settings: { dataDir, masterKey } }: Examined): Promise<Check[]> {
  const existing = await nearest(dataDir);
  const secrets = [
    ...(masterKey === undefined ? [checkSecret('master key', join(dataDir, 'master.key'), problem)] : []),
    checkSecret('token file', join('docker', 'mcp_token.txt'), warning),
  ];
  return [
    await checkWritable(dataDir, existing),
    await checkSpace(existing),
    ...(await Promise.all(secrets)).flatMap((check) => check ?? []),
  ];
}

async function checkWritable(dataDir: string, existing: string): Promise<Check> {
  const name = 'data folder';
  if (!(await stat(existing)).isDirectory()) {
    return problem(name, `${existing} is not a folder.`, 'Set DATA_DIR to a folder.');
  }
  try {
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return problem(
      name,
      `${existing} cannot be written.`,
      'Change its owner or its rights, or set DATA_DIR to another folder.',
    );
  }
  return ok(name, existing === dataDir ? `${dataDir} can be written.` : `${dataDir} will be made at the first start.`);
}

async function checkSpace(existing: string): Promise<Check> {
  const { bavail, bsize } = await statfs(existing);
  const free = (bavail * bsize) / GIGABYTE;
  const message = `${free.toFixed(1)} GB free on the disk of the data folder.`;
  return free >= 1
    ? ok('disk', message)
    : warning('disk', message, 'Free some space, or set DATA_DIR to a folder on another disk.');
}

async function checkSecret(name: string, path: string, verdict: typeof problem): Promise<Check | undefined> {
  try {
    const { mode } = await stat(path);
    if (process.platform === 'win32' || (mode & 0o077) === 0) return ok(name, `Only its owner can read ${path}.`);
    return verdict(name, `Others can read ${path}.`, `Run: chmod 600 ${path}`);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    return problem(name, `${path} cannot be looked at.`, 'Change the rights of its folder.');
  }
}

/** The folder itself, or the nearest one above it that exists. */
async function nearest(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch {
    return nearest(dirname(path));
  }
}
