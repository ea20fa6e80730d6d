import { run } from './run.js';
import { Terminal } from './terminal.js';

process.exitCode = await run(process.argv, new Terminal().obeySignals());
