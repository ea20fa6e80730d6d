export const PROJECTIONS = '/v1/admin/projections';

export function projectionPath(name: string, ...rest: readonly string[]): string {
  return [PROJECTIONS, encodeURIComponent(name), ...rest].join('/');
}
