import { connect, createServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { Server, ServerCredentials, status, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { EsdbCall, EsdbDoor } from './esdb-door.js';
import { EsdbFaults, type EsdbFault } from './esdb-faults.js';
import { EsdbReadService } from './esdb-read.service.js';
import { EsdbStore, type EsdbWritten } from './esdb-store.js';
import { rpcError } from './esdb-wire.js';
import { EsdbWriteService } from './esdb-write.service.js';

const HOST = '127.0.0.1';

export interface EsdbDoubleOptions {
  /** Several doubles over one store are the nodes of one cluster. */
  readonly store?: EsdbStore;
  /** Answers everything that needs a leader with the address of this one. */
  readonly leader?: EventStoreDbDouble;
  /** With a certificate it speaks TLS, and checks user and password. */
  readonly tls?: {
    readonly key: string;
    readonly certificate: string;
    readonly user: string;
    readonly password: string;
  };
}

/**
 * A server that speaks EventStoreDB's wire protocol, on the service definitions that ship with its client. It keeps
 * everything in memory, and misbehaves on request. Clients reach it through a relay, so that connections can break and
 * the server can be away without losing its data or its port.
 */
export class EventStoreDbDouble implements EsdbDoor {
  readonly faults = new EsdbFaults();
  readonly store: EsdbStore;
  readonly writes: EsdbWriteService;
  readonly reads: EsdbReadService;
  private readonly server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
  private readonly sockets = new Set<Socket>();
  private relay: TcpServer | undefined;
  private inside = 0;
  private port = 0;

  private constructor(private readonly options: EsdbDoubleOptions) {
    this.store = options.store ?? new EsdbStore();
    this.writes = new EsdbWriteService(this.store, this);
    this.reads = new EsdbReadService(this.store, this);
  }

  static async start(options: EsdbDoubleOptions = {}): Promise<EventStoreDbDouble> {
    const double = new EventStoreDbDouble(options);
    const { append, batchAppend, tombstone } = double.writes;
    double.server.addService(streamsGrpc.StreamsService, {
      append,
      batchAppend,
      tombstone,
      delete: tombstone,
      read: double.reads.read,
    });
    double.server.addService(featuresGrpc.ServerFeaturesService, {
      getSupportedMethods: (_: unknown, answer: sendUnaryData<SupportedMethods>) => answer(null, supportedMethods()),
    });
    double.server.addService(gossipGrpc.GossipService, {
      read: (_: ServerUnaryCall<unknown, ClusterInfo>, answer: sendUnaryData<ClusterInfo>) =>
        answer(null, double.clusterInfo()),
    });
    double.inside = await double.bind();
    await double.comeBack();
    return double;
  }

  /** A connection string for this node. */
  get url(): string {
    const { tls } = this.options;
    if (tls === undefined) return `esdb://${this.address}?tls=false`;
    return `esdb://${tls.user}:${tls.password}@localhost:${this.port}?tls=true`;
  }

  get address(): string {
    return `${HOST}:${this.port}`;
  }

  /** Breaks every connection; new ones are welcome. */
  dropConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Leaves the network. */
  async goAway(): Promise<void> {
    const { relay } = this;
    this.relay = undefined;
    if (relay === undefined) return;
    const closed = new Promise<void>((resolve) => relay.close(() => resolve()));
    this.dropConnections();
    await closed;
  }

  /** Comes back on the same port, with the same data. */
  async comeBack(): Promise<void> {
    const relay = createServer({ noDelay: true }, (outer) => {
      const inner = connect({ port: this.inside, host: HOST, noDelay: true });
      for (const [one, other] of [
        [outer, inner],
        [inner, outer],
      ] as const) {
        this.sockets.add(one);
        one.on('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
        // A connection that breaks is what this relay is for.
        one.on('error', () => other.destroy());
        one.pipe(other);
      }
    });
    await new Promise<void>((resolve, reject) => relay.once('error', reject).listen(this.port, HOST, resolve));
    this.port = (relay.address() as AddressInfo).port;
    this.relay = relay;
  }

  async stop(): Promise<void> {
    await this.goAway();
    this.server.forceShutdown();
  }

  write(call: EsdbCall, apply: () => EsdbWritten): EsdbWritten | Error | 'silence' {
    const refused = this.refusal(call);
    if (refused !== undefined) return refused;
    const fault = this.faults.takeWrite();
    if (fault === undefined) return apply();
    if (fault.endsWith('after')) apply();
    return this.misbehave(fault);
  }

  read(call: EsdbCall): Error | 'silence' | undefined {
    const refused = this.refusal(call);
    if (refused !== undefined) return refused;
    const fault = this.faults.takeRead();
    return fault === undefined ? undefined : this.misbehave(fault);
  }

  private misbehave(fault: EsdbFault): Error | 'silence' {
    switch (fault) {
      case 'drop before':
      case 'drop after':
        this.dropConnections();
        return 'silence';
      case 'deadline before':
      case 'deadline after':
        return 'silence';
      case 'timeout after':
        return rpcError(status.ABORTED);
      case 'not leader':
        return this.notLeader(this.options.leader ?? this);
      case 'bad credentials':
        return rpcError(status.UNAUTHENTICATED);
      case 'no permission':
        return rpcError(status.PERMISSION_DENIED, 'access-denied');
    }
  }

  private refusal(call: EsdbCall): Error | undefined {
    const { tls, leader } = this.options;
    if (tls !== undefined) {
      const given = call.metadata.get('authorization').at(0);
      const right = `Basic ${Buffer.from(`${tls.user}:${tls.password}`).toString('base64')}`;
      if (given !== right) return rpcError(status.UNAUTHENTICATED);
    }
    if (leader !== undefined && call.metadata.get('requires-leader').at(0) === 'true') return this.notLeader(leader);
    return undefined;
  }

  private notLeader(leader: EventStoreDbDouble): Error {
    return rpcError(status.NOT_FOUND, 'not-leader', {
      'leader-endpoint-host': HOST,
      'leader-endpoint-port': String(leader.port),
    });
  }

  private clusterInfo(): ClusterInfo {
    const info = new gossip.ClusterInfo();
    const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState;
    const member = (node: EventStoreDbDouble, state: typeof LEADER | typeof FOLLOWER) => {
      const endPoint = new gossip.EndPoint();
      endPoint.setAddress(HOST);
      endPoint.setPort(node.port);
      const found = new gossip.MemberInfo();
      found.setHttpEndPoint(endPoint);
      found.setState(state);
      found.setIsAlive(true);
      info.addMembers(found);
    };
    if (this.options.leader !== undefined) member(this.options.leader, LEADER);
    member(this, this.options.leader === undefined ? LEADER : FOLLOWER);
    return info;
  }

  private async bind(): Promise<number> {
    const { tls } = this.options;
    const credentials =
      tls === undefined
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(null, [
            { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.certificate) },
          ]);
    return await new Promise((resolve, reject) => {
      this.server.bindAsync(`${HOST}:0`, credentials, (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
  }
}

function supportedMethods(): SupportedMethods {
  const methods = ['read', 'append', 'batchappend', 'delete', 'tombstone'].map((name) => {
    const method = new features.SupportedMethod();
    method.setServiceName('event_store.client.streams.streams');
    method.setMethodName(name);
    return method;
  });
  const supported = new features.SupportedMethods();
  supported.setMethodsList(methods);
  supported.setEventStoreServerVersion('23.10.0.0');
  return supported;
}
