import 'reflect-metadata';
import { Command, Query } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import type { Execution } from './execution.js';
import type { Permission } from './permissions.js';

export const DEFAULT_DEADLINE_MS = 15_000;

/** What is said about an operation, once, where it is declared. */
export interface OperationSpec {
  /** The one name it goes by in metrics, journal and manifest. */
  readonly name: string;
  readonly permission: Permission;
  /** After this long it is a timeout. */
  readonly deadlineMs?: number;
  /** Projections a query reads, so waits for. */
  readonly reads?: readonly string[];
  /** Run by the system only: no surface binds it. */
  readonly internal?: boolean;
}

export type OperationDeclaration = Required<OperationSpec>;

const DECLARATION = Symbol('operation');

/** Something a caller can want that changes things. Runs through `Operations.run`, which sets `execution`. */
export abstract class CommandOperation<R> extends Command<R> {
  abstract readonly caller: Caller;
  execution!: Execution;
}

/** Something a caller can want to know. Runs through `Operations.run`, which sets `execution`. */
export abstract class QueryOperation<R> extends Query<R> {
  abstract readonly caller: Caller;
  execution!: Execution;
}

export type AnyOperation<R = unknown> = CommandOperation<R> | QueryOperation<R>;
export type OperationClass = abstract new (...args: never[]) => AnyOperation;

/** Declares an operation: its name, who may use it, how long it may take, what it reads. */
export function Operation(spec: OperationSpec): (target: OperationClass) => void {
  const declaration: OperationDeclaration = { deadlineMs: DEFAULT_DEADLINE_MS, reads: [], internal: false, ...spec };
  return (target) => Reflect.defineMetadata(DECLARATION, declaration, target);
}

/** What an operation class declares. One that declares nothing cannot be run: that is a fault in the program. */
export function declarationOf(operation: OperationClass): OperationDeclaration {
  const declaration = Reflect.getMetadata(DECLARATION, operation) as OperationDeclaration | undefined;
  if (!declaration) throw new Error(`${operation.name} has no @Operation.`);
  return declaration;
}
