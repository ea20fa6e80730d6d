const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1', '[::]': '[::1]' };

/** Where to call what listens on an address: one that means "all of them" is not itself one to call. */
export function dialled(host: string): string {
  return EVERYWHERE[host] ?? host;
}

export function httpUrl(host: string, port: number): string {
  const called = dialled(host);
  return `http://${called.includes(':') ? `[${called}]` : called}:${port}`;
}

export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);
}
