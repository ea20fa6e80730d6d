/** The program, wherever it runs, asked through its REST API. */
export interface Core {
  get<Answer>(path: string, query?: Query): Promise<Answer>;
  post<Answer>(path: string, body?: object): Promise<Answer>;
  close(): Promise<void>;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** The path with its query; what is undefined is left out. */
export function withQuery(path: string, query: Query = {}): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) given.append(key, String(value));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}

export function headersFor(token: string | undefined, body: object | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}
