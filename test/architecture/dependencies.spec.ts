import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { project, Tree, type Files } from './tree.js';

/** A tree in which everybody keeps to the rules. */
const LAWFUL: Files = {
  'libs/kernel/src/index.ts': "export * from './caller.js';",
  'libs/kernel/src/caller.ts': 'export interface Caller { id: string }',
  'libs/kernel/src/caller.spec.ts': "import { expect } from '@jest/globals'; import '#testing'; expect(1);",
  'libs/testing/src/index.ts': "export { expect } from '@jest/globals';",
  'libs/platform/postgres/src/index.ts': "export * from './pool.js';",
  'libs/platform/postgres/src/pool.ts': "export { Pool } from 'pg';",
  'libs/platform/operations/src/index.ts':
    "import type { Caller } from '#kernel'; export class Operations { caller?: Caller }",
  'libs/contexts/library/src/index.ts':
    "export * from './note/note.events.js'; export * from './operations/publish.command.js'; export * from './library.module.js';",
  'libs/contexts/library/src/library.module.ts':
    "import { cards } from './read/card.projection.js'; export const module = { cards };",
  'libs/contexts/library/src/note/note.events.ts':
    "import type { Caller } from '#kernel'; export interface Published { by: Caller }",
  'libs/contexts/library/src/note/note.decider.ts':
    "import type { Published } from './note.events.js'; export type Decided = Published;",
  'libs/contexts/library/src/operations/publish.command.ts':
    "import { Pool } from '#platform/postgres'; export const publish = Pool;",
  'libs/contexts/library/src/read/card.projection.ts':
    "import type { Created } from '#contexts/holdings'; export const cards = {} as Created;",
  'libs/contexts/holdings/src/index.ts': "export * from './container/container.events.js';",
  'libs/contexts/holdings/src/container/container.events.ts': 'export interface Created { name: string }',
  'libs/surfaces/rag-mcp/src/index.ts':
    "import { Operations } from '#platform/operations'; import { publish } from '#contexts/library'; export const rag = { Operations, publish };",
  'libs/surfaces/containers-v1/src/index.ts':
    "import type { Created } from '#contexts/holdings'; export type Dto = Created;",
  'libs/composition/src/index.ts': "import '#contexts/library'; import '#platform/postgres'; export const core = 1;",
  'apps/server/src/main.ts': "import '#composition'; import '#surfaces/rag-mcp'; export const server = 1;",
  'apps/cli/src/main.ts': "import '#platform/operations';",
  // Node finds #kernel here; the rules must see the source all the same.
  'dist/libs/kernel/src/index.js': 'export {};',
};

/** For each rule, files that break it and nothing else. */
const CANARIES: ReadonlyArray<readonly [rule: string, how: string, files: Files]> = [
  [
    'kernel-depends-on-nothing',
    'a package',
    { 'libs/kernel/src/id.ts': "import { v4 } from 'uuid'; export const id = v4;" },
  ],
  [
    'kernel-depends-on-nothing',
    'a Node module',
    { 'libs/kernel/src/id.ts': "export { randomUUID } from 'node:crypto';" },
  ],
  [
    'kernel-depends-on-nothing',
    'the platform, by type',
    { 'libs/kernel/src/db.ts': "import type { Pool } from '#platform/postgres'; export type P = Pool;" },
  ],
  [
    'deciders-are-pure',
    'an operation',
    { 'libs/contexts/library/src/note/link.decider.ts': "export { publish } from '../operations/publish.command.js';" },
  ],
  [
    'deciders-are-pure',
    'the platform, by type',
    {
      'libs/contexts/library/src/note/note.state.ts':
        "import type { Pool } from '#platform/postgres'; export type P = Pool;",
    },
  ],
  [
    'deciders-are-pure',
    'a Node module',
    { 'libs/contexts/library/src/gates/length.gate.ts': "export { hash } from 'node:crypto';" },
  ],
  [
    'contexts-do-not-know-each-other',
    'an operation',
    { 'libs/contexts/holdings/src/operations/open.command.ts': "export { publish } from '#contexts/library';" },
  ],
  [
    'contexts-do-not-know-each-other',
    'a type',
    {
      'libs/contexts/holdings/src/operations/open.command.ts':
        "import type { Published } from '#contexts/library'; export type P = Published;",
    },
  ],
  [
    'contexts-know-no-surface',
    'a DTO',
    {
      'libs/contexts/holdings/src/operations/open.command.ts':
        "import type { Dto } from '#surfaces/containers-v1'; export type P = Dto;",
    },
  ],
  [
    'only-the-front-door',
    'an app',
    { 'apps/server/src/wiring.ts': "export * from '../../../libs/platform/postgres/src/pool.js';" },
  ],
  [
    'only-the-front-door',
    'a projection',
    {
      'libs/contexts/library/src/read/a.projection.ts':
        "import type { Created } from '../../../holdings/src/container/container.events.js'; export type C = Created;",
    },
  ],
  [
    'only-the-front-door',
    'a migration',
    {
      'migrations/0001-first.ts': "import type { Caller } from '../libs/kernel/src/caller.js'; export type C = Caller;",
    },
  ],
  [
    'front-door-shows-contracts-only',
    'a decider',
    {
      'libs/contexts/holdings/src/index.ts': "export * from './container/container.decider.js';",
      'libs/contexts/holdings/src/container/container.decider.ts': 'export const decide = 1;',
    },
  ],
  [
    'front-door-shows-contracts-only',
    'a projection, by type',
    {
      'libs/contexts/holdings/src/index.ts': "export type { Rows } from './read/rows.projection.js';",
      'libs/contexts/holdings/src/read/rows.projection.ts': 'export interface Rows { n: number }',
    },
  ],
  [
    'surfaces-do-not-know-each-other',
    'a DTO',
    { 'libs/surfaces/rag-mcp/src/dto.ts': "import type { Dto } from '#surfaces/containers-v1'; export type D = Dto;" },
  ],
  [
    'surfaces-touch-no-infrastructure',
    'the buses',
    { 'libs/surfaces/rag-mcp/src/tools.ts': "export { CommandBus } from '@nestjs/cqrs';" },
  ],
  [
    'surfaces-touch-no-infrastructure',
    'the database, by type',
    { 'libs/surfaces/rag-mcp/src/tools.ts': "import type { Pool } from '#platform/postgres'; export type P = Pool;" },
  ],
  [
    'surfaces-touch-no-infrastructure',
    'a driver',
    { 'libs/surfaces/rag-mcp/src/tools.ts': "export { Pool } from 'pg';" },
  ],
  [
    'surfaces-touch-no-infrastructure',
    'the disk',
    { 'libs/surfaces/rag-mcp/src/tools.ts': "export { readFile } from 'node:fs/promises';" },
  ],
  [
    'platform-knows-no-domain',
    'a context',
    {
      'libs/platform/operations/src/note.ts':
        "import type { Published } from '#contexts/library'; export type P = Published;",
    },
  ],
  [
    'platform-knows-no-domain',
    'a surface',
    {
      'libs/platform/operations/src/dto.ts': "import type { Dto } from '#surfaces/containers-v1'; export type D = Dto;",
    },
  ],
  ['only-apps-compose', 'a surface', { 'libs/surfaces/rag-mcp/src/wiring.ts': "export { core } from '#composition';" }],
  [
    'nobody-imports-an-app',
    'a library',
    { 'libs/surfaces/rag-mcp/src/boot.ts': "export { server } from '../../../../apps/server/src/main.js';" },
  ],
  [
    'nobody-imports-an-app',
    'another app',
    { 'apps/cli/src/serve.ts': "export { server } from '../../server/src/main.js';" },
  ],
  [
    'testing-is-for-tests',
    'an operation',
    { 'libs/contexts/library/src/operations/a.command.ts': "export { expect } from '#testing';" },
  ],
  [
    'no-circular',
    'two files',
    {
      'libs/kernel/src/a.ts': "import './b.js'; export const a = 1;",
      'libs/kernel/src/b.ts': "import './a.js'; export const b = 1;",
    },
  ],
  [
    'no-circular',
    'two files, by type',
    {
      'apps/cli/src/a.ts': "import type { B } from './b.js'; export type A = B[];",
      'apps/cli/src/b.ts': "import type { A } from './a.js'; export interface B { a: A }",
    },
  ],
  ['everything-resolves', 'a file that is not there', { 'apps/server/src/lost.ts': "export * from './gone.js';" }],
];

describe('the dependency rules', () => {
  let tree: Tree;

  beforeAll(() => {
    tree = new Tree(LAWFUL).take('tsconfig.json', 'package.json');
  });
  afterAll(() => tree.dispose());

  /** The names of the rules that the tree breaks. */
  function broken(): string[] {
    const { stdout, stderr } = tree.node([join(project, 'scripts/dependencies.mjs'), '--json', '--root', tree.root]);
    if (stdout === '') throw new Error(stderr);
    const { summary } = JSON.parse(stdout) as {
      summary: { violations: Array<{ rule: { name: string } }>; totalCruised: number };
    };
    expect(summary.totalCruised).toBeGreaterThanOrEqual(Object.keys(LAWFUL).length - 1);
    return [...new Set(summary.violations.map((violation) => violation.rule.name))];
  }

  it('find nothing in a lawful tree', () => expect(broken()).toEqual([]));

  it.each(CANARIES)('%s: caught by %s', (rule, _how, files) => {
    tree.write(files);
    try {
      expect(broken()).toEqual([rule]);
    } finally {
      tree.remove(Object.keys(files));
      tree.write(LAWFUL);
    }
  });

  it('have a canary each', () => {
    const config = createRequire(import.meta.url)(join(project, '.dependency-cruiser.cjs')) as {
      forbidden: Array<{ name: string }>;
    };
    expect(new Set(CANARIES.map(([rule]) => rule))).toEqual(new Set(config.forbidden.map((rule) => rule.name)));
  });
});
