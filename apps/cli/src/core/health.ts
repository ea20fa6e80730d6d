import { HttpCore } from './http-core.js';

const PATIENCE_MS = 3_000;

interface Health {
  readonly status: string;
  readonly _meta: { readonly toolVersion: string };
}

/** The version of the Scriptorium that answers at a URL; undefined when nothing does, or something else. */
export async function versionAt(url: string, stop: AbortSignal): Promise<string | undefined> {
  try {
    const { _meta: meta } = await new HttpCore(url, undefined, stop, PATIENCE_MS).get<Health>('/health');
    return meta.toolVersion;
  } catch {
    stop.throwIfAborted();
    return undefined;
  }
}

export async function isHealthy(url: string, stop: AbortSignal): Promise<boolean> {
  return (await versionAt(url, stop)) !== undefined;
}
