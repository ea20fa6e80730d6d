import { ok, problem, type Check } from './check.js';

const OLDEST = 20;

export function checkNode(): Check {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= OLDEST) return ok('node', `Node ${node}.`);
  return problem('node', `Node ${node} is too old.`, `Install Node ${OLDEST} or newer.`);
}
