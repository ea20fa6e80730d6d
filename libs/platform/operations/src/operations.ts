import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { START, type Position } from '#platform/eventlog';
import { Deadline } from './deadline.js';
import { Execution, type OperationRequest } from './execution.js';
import { LastPositions } from './last-positions.js';
import { OperationMetrics } from './operation-metrics.js';
import { refuseOperation } from './operation.errors.js';
import {
  CommandOperation,
  declarationOf,
  type AnyOperation,
  type OperationClass,
  type OperationDeclaration,
} from './operation.js';
import { mayUse } from './permissions.js';
import { READ_MODELS, type ReadModels } from './read-models.js';

/** How long a query waits for the read models to reach the caller's own last write. */
export const READ_YOUR_WRITES_MS = 2_000;

/**
 * The one door: every surface, job and command line runs operations here and nowhere else. Permission, deadline,
 * read-your-writes, then the bus.
 */
@Injectable()
export class Operations {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    private readonly lastPositions: LastPositions,
    private readonly metrics: OperationMetrics,
  ) {}

  /** Runs an operation and gives its result; throws a Refusal when it may not, cannot or is too late. */
  async run<R>(operation: CommandOperation<R>, request?: OperationRequest): Promise<R>;
  async run<R>(operation: AnyOperation<R>, request?: OperationRequest): Promise<R>;
  async run<R>(operation: AnyOperation<R>, request: OperationRequest = {}): Promise<R> {
    const declaration = declarationOf(operation.constructor as OperationClass);
    const started = performance.now();
    const deadline = new Deadline(declaration.deadlineMs, request.signal);
    const execution = executionOf(operation, declaration, request, deadline.signal);
    operation.execution = execution;
    try {
      this.checkPermission(operation, declaration);
      const result = await deadline.race(() => this.dispatch(operation, declaration));
      this.metrics.note(declaration.name, performance.now() - started);
      return result;
    } catch (error) {
      this.metrics.note(declaration.name, performance.now() - started, error);
      throw error;
    } finally {
      deadline.release();
      request.finished?.(execution);
    }
  }

  private checkPermission({ caller }: AnyOperation, { name, permission }: OperationDeclaration): void {
    if (mayUse(caller, permission)) return;
    throw refuseOperation(
      'PERMISSION_DENIED',
      { operation: name, permission },
      `The caller ${caller.id} does not have the permission ${permission}.`,
    );
  }

  private async dispatch<R>(operation: AnyOperation<R>, declaration: OperationDeclaration): Promise<R> {
    if (operation instanceof CommandOperation) return this.command(operation);
    await this.catchUp(operation.execution, declaration);
    return this.queries.execute(operation);
  }

  private async command<R>(operation: CommandOperation<R>): Promise<R> {
    try {
      return await this.commands.execute(operation);
    } finally {
      // Also when it failed, or came too late to be heard: what was appended was appended.
      const { position } = operation.execution;
      if (position !== undefined) this.lastPositions.remember(operation.caller.id, position);
    }
  }

  private async catchUp(execution: Execution, { reads }: OperationDeclaration): Promise<void> {
    const target = laterOf(execution.after ?? START, this.lastPositions.of(execution.caller.id));
    if (target === START || reads.length === 0) return;
    execution.stale = !(await this.readModels.waitFor(reads, target, READ_YOUR_WRITES_MS));
    if (!execution.stale) execution.position = target;
  }
}

function executionOf(
  operation: AnyOperation,
  { name }: OperationDeclaration,
  { requestId = randomUUID(), after }: OperationRequest,
  signal: AbortSignal,
): Execution {
  return new Execution(randomUUID(), name, operation.caller, requestId, new Date(), signal, after);
}

function laterOf(a: Position, b: Position): Position {
  return a > b ? a : b;
}
