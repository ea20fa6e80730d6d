// Makes a new database in the folder given, and ends.
import { startEngine } from './pglite-engine.mjs';

const pglite = await startEngine(process.argv[2]);
await pglite.close();
