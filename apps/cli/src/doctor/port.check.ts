import { createServer } from 'node:net';
import { httpUrl } from '../core/address.js';
import { versionAt } from '../core/health.js';
import { ok, problem, warning, type Check, type Examined } from './check.js';

/** Whether the server could listen, or does so already. */
export async function checkPort({ settings: { host, port, databaseUrl }, running, stop }: Examined): Promise<Check> {
  const where = `Port ${port} on ${host}`;
  if (port === 0) return ok('port', 'PORT is 0: the server takes any free one.');
  const failure = await listenFailure(host, port);
  if (failure === undefined) return ok('port', `${where} is free.`);
  if (failure === 'EACCES')
    return problem('port', `${where} may not be used by this user.`, 'Set PORT to one above 1023.');
  if (failure !== 'EADDRINUSE') {
    return problem(
      'port',
      `The server cannot listen on ${host} (${failure}).`,
      'Set HOST to an address of this machine, such as 127.0.0.1.',
    );
  }
  const url = httpUrl(host, port);
  const version = await versionAt(url, stop);
  if (version === undefined) {
    return problem(
      'port',
      `${where} is in use, and no Scriptorium answers there.`,
      'Stop what listens there, or set PORT to another one.',
    );
  }
  if (databaseUrl !== undefined || sameServer(running, url)) {
    return ok('port', `${where} is answered by Scriptorium ${version}.`);
  }
  return warning(
    'port',
    `${where} is answered by a Scriptorium on another data folder.`,
    'Set PORT to another one to start a second.',
  );
}

/** The code of the reason why nobody can listen there; undefined when it is free. */
function listenFailure(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** The holder of the data folder may say "localhost" where the settings say 127.0.0.1. */
function sameServer(running: string | undefined, url: string): boolean {
  return running !== undefined && new URL(running).port === new URL(url).port;
}
