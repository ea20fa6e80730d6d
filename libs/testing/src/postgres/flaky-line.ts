import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A line to a server that can be cut and mended: the server lives on, its clients see it gone. */
export class FlakyLine {
  private readonly sockets = new Set<Socket>();
  private cutOff = false;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async to(target: string): Promise<FlakyLine> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = Object.assign(new URL(target), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
    const line = new FlakyLine(server, url.toString());
    server.on('connection', (near) => line.join(near, connect(Number(port), hostname)));
    return line;
  }

  /** Breaks every connection, and every new one. */
  cut(): void {
    this.cutOff = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.cutOff = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: Socket, far: Socket): void {
    if (this.cutOff) {
      near.destroy();
      far.destroy();
      return;
    }
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    near.pipe(far).pipe(near);
  }
}
