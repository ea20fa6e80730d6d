import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A client with one connection that it keeps, as a program would. */
export class Client {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly shelves = randomUUID().slice(0, 8);
  private count = 0;

  constructor(private readonly url: string) {}

  /** Creates a container; gives the milliseconds from asking to the last byte of the answer. */
  create(): Promise<number> {
    this.count += 1;
    const body = {
      name: `shelf-${this.shelves}-${this.count}`,
      theme: 'German Expressionism',
      description: 'Prints, manifestos and letters of the painters who met in Dresden and moved on to Berlin.',
      policy: { privacy: 'exportable', freshness_lambda: 0.02 },
    };
    return this.ask('POST', '/v1/containers/create', JSON.stringify(body));
  }

  /** An answer that needs nothing but HTTP. */
  health(): Promise<number> {
    return this.ask('GET', '/health');
  }

  close(): void {
    this.agent.destroy();
  }

  private ask(method: string, path: string, body = ''): Promise<number> {
    const started = performance.now();
    const headers =
      body === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const asking = request(`${this.url}${path}`, { method, agent: this.agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => {
          if (answer.statusCode === 200) resolve(performance.now() - started);
          else reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`));
        });
      });
      asking.on('error', reject);
      asking.end(body);
    });
  }
}

/** One after the other, with a pause between them. */
export async function timesOf(count: number, pauseMs: number, trip: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count) {
    times.push(await trip());
    if (pauseMs > 0) await sleep(pauseMs);
  }
  return times;
}
