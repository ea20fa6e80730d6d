import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandHandler, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Test, type TestingModule } from '@nestjs/testing';
import { isRefusal, type Caller } from '#kernel';
import { EventCatalog, EventStore, positionOf, type Position } from '#platform/eventlog';
import { InMemoryEventLog, InMemoryKeys, newEvents } from '#testing';
import { Metrics } from '#platform/telemetry';
import type { Execution } from './execution.js';
import { CommandOperation, Operation, QueryOperation } from './operation.js';
import { Operations } from './operations.js';
import { OperationsModule } from './operations.module.js';
import { LOCAL_UNVERIFIED } from './permissions.js';
import { READ_MODELS } from './read-models.js';

const owner: Caller = { kind: 'human', id: 'ann', roles: ['owner'] };
const reader: Caller = { kind: 'human', id: 'rob', roles: ['reader'] };

@Operation({ name: 'write_it', permission: 'containers:write', deadlineMs: 50 })
class WriteIt extends CommandOperation<string> {
  constructor(
    readonly caller: Caller,
    readonly doing: (execution: Execution) => Promise<string>,
  ) {
    super();
  }
}

@CommandHandler(WriteIt)
class WriteItHandler implements ICommandHandler<WriteIt> {
  execute({ doing, execution }: WriteIt): Promise<string> {
    return doing(execution);
  }
}

@Operation({ name: 'read_it', permission: 'containers:read', reads: ['things'] })
class ReadIt extends QueryOperation<boolean> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(ReadIt)
class ReadItHandler implements IQueryHandler<ReadIt> {
  async execute({ execution }: ReadIt): Promise<boolean> {
    return execution.stale;
  }
}

class Undeclared extends CommandOperation<void> {
  constructor(readonly caller: Caller) {
    super();
  }
}

let module: TestingModule;
let store: EventStore;
let operations: Operations;
let reached: Position;
let waits: [readonly string[], Position][];

beforeEach(async () => {
  store = new EventStore({ log: new InMemoryEventLog(), catalog: new EventCatalog([]), keys: new InMemoryKeys() });
  await begin();
});
afterEach(() => module.close());

/** Starts the module, as a process does. */
async function begin(): Promise<void> {
  reached = positionOf(10n);
  waits = [];
  const readModels = {
    waitFor: async (names: readonly string[], position: Position) => {
      waits.push([names, position]);
      return reached >= position;
    },
  };
  module = await Test.createTestingModule({
    imports: [
      {
        module: class Core {},
        global: true,
        providers: [
          { provide: EventStore, useValue: store },
          { provide: Metrics, useValue: new Metrics() },
          { provide: READ_MODELS, useValue: readModels },
        ],
        exports: [EventStore, Metrics, READ_MODELS],
      },
      OperationsModule,
    ],
    providers: [WriteItHandler, ReadItHandler],
  }).compile();
  await module.init();
  operations = module.get(Operations);
}

const writeAt = (position: bigint, caller = owner) =>
  operations.run(
    new WriteIt(caller, async (execution) => {
      execution.position = positionOf(position);
      return 'written';
    }),
  );

describe('Operations.run', () => {
  it('runs an operation in an execution of its own', async () => {
    let seen: Execution | undefined;
    const operation = new WriteIt(owner, async (execution) => {
      seen = execution;
      return 'done';
    });
    await expect(operations.run(operation, { requestId: 'r-1' })).resolves.toBe('done');
    expect(seen?.context()).toEqual({
      caller: owner,
      correlationId: 'r-1',
      executionId: seen?.id,
      operation: 'write_it',
      at: seen?.at,
    });
  });

  it('refuses a caller without the permission, before anything happens', async () => {
    let happened = false;
    const operation = new WriteIt(reader, async () => {
      happened = true;
      return '';
    });
    await expect(operations.run(operation)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      kind: 'forbidden',
      details: { operation: 'write_it', permission: 'containers:write' },
    });
    expect(happened).toBe(false);
  });

  it('gives the unverified local caller what its column says, whatever roles it claims', async () => {
    const local: Caller = { kind: 'agent', id: LOCAL_UNVERIFIED, roles: ['owner'] };
    await expect(writeAt(1n, local)).resolves.toBe('written');
  });

  it('does not run what nobody declared', async () => {
    await expect(operations.run(new Undeclared(owner))).rejects.toThrow('Undeclared has no @Operation');
  });

  it('ends at the deadline, and tells the handler', async () => {
    let signal: AbortSignal | undefined;
    const slow = new WriteIt(owner, async (execution) => {
      signal = execution.signal;
      await sleep(10_000, undefined, { signal: execution.signal, ref: false });
      return '';
    });
    await expect(operations.run(slow)).rejects.toMatchObject({ code: 'OPERATION_TIMEOUT', kind: 'timeout' });
    expect(signal?.aborted).toBe(true);
  });

  it('ends when whoever asked has gone, and tells the handler', async () => {
    const gone = new AbortController();
    const work = operations.run(
      new WriteIt(owner, async (execution) => {
        gone.abort();
        await sleep(10_000, undefined, { signal: execution.signal, ref: false });
        return '';
      }),
      { signal: gone.signal },
    );
    await expect(work).rejects.toMatchObject({ code: 'OPERATION_CANCELLED', kind: 'cancelled' });
    await expect(operations.run(new ReadIt(owner), { signal: gone.signal })).rejects.toMatchObject({
      code: 'OPERATION_CANCELLED',
    });
  });

  it('counts what came of it', async () => {
    await writeAt(1n);
    await operations.run(new WriteIt(reader, async () => '')).catch(isRefusal);
    await operations.run(new WriteIt(owner, () => Promise.reject(new Error('broken')))).catch(isRefusal);
    const text = await module.get(Metrics).metrics();
    expect(text).toContain('operations_total{operation="write_it",outcome="ok"} 1');
    expect(text).toContain('operations_total{operation="write_it",outcome="forbidden"} 1');
    expect(text).toContain('operations_total{operation="write_it",outcome="internal"} 1');
    expect(text).toContain('operation_duration_seconds_count{operation="write_it"} 3');
  });
});

describe('reading what one wrote', () => {
  it('waits for what the log held when the process began: it may have been acknowledged before a crash', async () => {
    await operations.run(new ReadIt(owner));
    expect(waits).toEqual([]);
    const { position } = await store.log.append('before', newEvents(1), 'none');
    await module.close();
    await begin();
    await operations.run(new ReadIt(owner));
    expect(waits).toEqual([[['things'], position]]);
  });

  it('waits for nothing when nothing was written', async () => {
    await operations.run(new ReadIt(owner));
    expect(waits).toEqual([]);
  });

  it("waits for the caller's own last write, and for no one else's", async () => {
    await writeAt(3n);
    await writeAt(2n);
    await expect(operations.run(new ReadIt(owner))).resolves.toBe(false);
    await operations.run(new ReadIt(reader));
    expect(waits).toEqual([[['things'], positionOf(3n)]]);
  });

  it('waits for the position asked for, if it is later', async () => {
    await writeAt(3n);
    let position: Position | undefined;
    await operations.run(new ReadIt(owner), {
      after: positionOf(7n),
      finished: (execution) => (position = execution.position),
    });
    expect(waits).toEqual([[['things'], positionOf(7n)]]);
    expect(position).toBe(positionOf(7n));
  });

  it('answers all the same when the read model is late, and says so', async () => {
    reached = positionOf(1n);
    await writeAt(5n);
    await expect(operations.run(new ReadIt(owner))).resolves.toBe(true);
  });

  it('remembers a write whose answer came too late', async () => {
    const late = new WriteIt(owner, async (execution) => {
      await sleep(80);
      execution.position = positionOf(9n);
      return '';
    });
    await expect(operations.run(late)).rejects.toMatchObject({ code: 'OPERATION_TIMEOUT' });
    while (late.execution.position === undefined) await sleep(5);
    await sleep(0);
    await operations.run(new ReadIt(owner));
    expect(waits).toEqual([[['things'], positionOf(9n)]]);
  });
});
