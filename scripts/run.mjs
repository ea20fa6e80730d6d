import { spawn } from 'node:child_process';
import { constants } from 'node:os';

let child;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child?.kill(signal));

/** Runs a command to its end and gives its exit code. Signals go to the command, so this process outlives it and can tidy up. */
export function run(command, args, environment = {}) {
  child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`${command} could not be started: ${error.message}`);
      resolve(1);
    });
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}
