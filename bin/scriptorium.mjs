#!/usr/bin/env node
import { setUp } from '../scripts/setup.mjs';

try {
  setUp({ compile: true });
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
await import('../dist/apps/cli/src/main.js');
