/** The paths a server has, to tell "not here" from "not with this method". */
export class RouteTable {
  private readonly routes: { readonly pattern: RegExp; readonly methods: ReadonlySet<string>; readonly url: string }[] =
    [];

  add(url: string, methods: string | readonly string[]): void {
    this.routes.push({
      url,
      pattern: patternOf(url),
      methods: new Set(typeof methods === 'string' ? [methods] : methods),
    });
  }

  /** The methods that some route takes at a path. */
  methodsAt(path: string): string[] {
    const matching = this.routes.filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
  }
}

function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => {
    if (segment === '*') return '.*';
    if (segment.startsWith(':')) return '[^/]+';
    return segment.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}$`);
}
