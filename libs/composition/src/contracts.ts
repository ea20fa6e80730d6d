import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { RefusalSpec } from '#kernel';
import { AppModule } from './app.module.js';
import { REFUSALS } from './contexts.js';
import { CoreModule } from './core.module.js';
import { documentOf } from './documents.js';
import { operationsOf, routesOf } from './routes.js';
import { PUBLISHED } from './surfaces.js';

/** One operation and every name it goes by on the wire. */
export interface ManifestEntry {
  readonly permission: string;
  readonly deadline_ms: number;
  readonly reads: readonly string[];
  readonly internal: boolean;
  readonly bindings: readonly { readonly surface: string; readonly name: string }[];
}

/** What is published about the program, derived from its code. */
export interface Contracts {
  readonly documents: Readonly<Record<string, OpenAPIObject>>;
  readonly manifest: Readonly<Record<string, ManifestEntry>>;
  readonly errors: string;
}

/** The program, looked at without running it: no engine is opened, no provider made. */
export function previewApp(): Promise<NestFastifyApplication> {
  return NestFactory.create<NestFastifyApplication>(AppModule.on(CoreModule.forPreview()), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
}

export async function describeContracts(): Promise<Contracts> {
  const app = await previewApp();
  return {
    documents: Object.fromEntries(PUBLISHED.map((each) => [each.surface.name, documentOf(app, each)])),
    manifest: manifestOf(app),
    errors: errorsPage(),
  };
}

function manifestOf(app: NestFastifyApplication): Record<string, ManifestEntry> {
  const routes = routesOf(app);
  const entries = operationsOf(app).map(({ name, permission, deadlineMs, reads, internal }) => {
    const bindings = routes
      .filter(({ operation }) => operation?.name === name)
      .map(({ module, method, path }) => ({
        surface: surfaceOf(module),
        name: `${method} ${path.replace(/:([^/]+)/g, '{$1}')}`,
      }));
    return [name, { permission, deadline_ms: deadlineMs, reads, internal, bindings }] as const;
  });
  return Object.fromEntries(entries);
}

function surfaceOf(module: unknown): string {
  return PUBLISHED.find(({ modules }) => modules.some((each) => each === module))?.surface.name ?? 'none';
}

function errorsPage(): string {
  const specs = REFUSALS.flatMap((family) => Object.entries(family.specs)).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    '# Refusals',
    '',
    'Generated from the code. Every expected "no" has one of these codes; surfaces may say it in their own word, by kind.',
    '',
    '| Code | Kind | Message | Hint |',
    '|---|---|---|---|',
    ...specs.map(([code, spec]) => errorRow(code, spec)),
    '',
  ].join('\n');
}

function errorRow(code: string, { kind, message, hint }: RefusalSpec): string {
  return `| \`${code}\` | ${kind} | ${message} | ${hint.replaceAll('<', '&lt;')} |`;
}
