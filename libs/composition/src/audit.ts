import type { OperationDeclaration } from '#platform/operations';
import type { DeclaredRoute } from './routes.js';

/** The routes that run no operation, all of them. */
export const INFRASTRUCTURE_ROUTES: readonly string[] = ['GET /health', 'GET /metrics', 'GET /ready'];

/** What is wrong with the bindings, one sentence each: a way round the door, or an operation nobody can reach. */
export function auditBindings(routes: readonly DeclaredRoute[], operations: readonly OperationDeclaration[]): string[] {
  const bound = new Set(routes.map(({ operation }) => operation?.name));
  const known = new Set(operations.map(({ name }) => name));
  return [
    ...routes.flatMap((route) => complaintsAbout(route, known)),
    ...operations
      .filter(({ name, internal }) => !internal && !bound.has(name))
      .map(({ name }) => `The operation ${name} is bound by no route and not marked internal.`),
    ...duplicates(operations.map(({ name }) => name)).map((name) => `Two operations are named ${name}.`),
  ];
}

function complaintsAbout(
  { method, path, handler, operation, infrastructure }: DeclaredRoute,
  known: ReadonlySet<string>,
) {
  const route = `${method} ${path}`;
  if (infrastructure) {
    return INFRASTRUCTURE_ROUTES.includes(route) ? [] : [`${handler} (${route}) is not a known infrastructure route.`];
  }
  if (!operation) return [`${handler} (${route}) binds no operation.`];
  if (operation.internal) return [`${handler} (${route}) binds ${operation.name}, which is internal.`];
  return known.has(operation.name) ? [] : [`${handler} (${route}) binds ${operation.name}, which has no handler.`];
}

function duplicates(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
