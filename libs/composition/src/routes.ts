import { RequestMethod, type INestApplicationContext, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { BINDS, OPEN_ROUTE } from '#platform/http-kit';
import { declarationOf, type OperationClass, type OperationDeclaration } from '#platform/operations';

/** Where Nest keeps what its route decorators say. */
const PATH = 'path';
const METHOD = 'method';
/** Where its CQRS package keeps which operation a handler handles. */
const HANDLED = ['__commandHandler__', '__queryHandler__'];

/** A route as its controller declares it. */
export interface DeclaredRoute {
  readonly method: string;
  readonly path: string;
  readonly handler: string;
  readonly module: Type;
  /** Absent on a route that binds none. */
  readonly operation?: OperationDeclaration;
  /** True when it says that it runs no operation. */
  readonly infrastructure: boolean;
}

/** Every route of every controller. */
export function routesOf(app: INestApplicationContext): DeclaredRoute[] {
  const found: DeclaredRoute[] = [];
  for (const { metatype: module, controllers } of app.get(ModulesContainer).values()) {
    for (const { metatype } of controllers.values()) {
      if (typeof metatype === 'function') found.push(...routesOfController(metatype as Type, module));
    }
  }
  return found.sort((a, b) => compare(`${a.path} ${a.method}`, `${b.path} ${b.method}`));
}

/** Every operation that has a handler. */
export function operationsOf(app: INestApplicationContext): OperationDeclaration[] {
  const found: OperationDeclaration[] = [];
  for (const { providers } of app.get(ModulesContainer).values()) {
    for (const { metatype } of providers.values()) {
      if (typeof metatype !== 'function') continue;
      for (const key of HANDLED) {
        const operation = Reflect.getMetadata(key, metatype) as OperationClass | undefined;
        if (operation) found.push(declarationOf(operation));
      }
    }
  }
  return found.sort((a, b) => compare(a.name, b.name));
}

function routesOfController(controller: Type, module: Type): DeclaredRoute[] {
  const prototype = controller.prototype as Record<string, unknown>;
  const prefix = Reflect.getMetadata(PATH, controller) as string;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const method = prototype[name];
    if (typeof method !== 'function' || !Reflect.hasMetadata(METHOD, method)) return [];
    const operation = Reflect.getMetadata(BINDS, method) as OperationClass | undefined;
    return {
      method: RequestMethod[Reflect.getMetadata(METHOD, method) as RequestMethod],
      path: joined(prefix, Reflect.getMetadata(PATH, method) as string),
      handler: `${controller.name}.${name}`,
      module,
      infrastructure: Reflect.getMetadata(OPEN_ROUTE, method) === true,
      ...(operation ? { operation: declarationOf(operation) } : {}),
    };
  });
}

function joined(...parts: readonly string[]): string {
  return `/${parts
    .flatMap((part) => part.split('/'))
    .filter((segment) => segment !== '')
    .join('/')}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
