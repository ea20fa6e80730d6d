import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Tree, type Files } from './tree.js';

const BANNED = 'no-restricted-imports';

/** A file per ban, the rule that must name it, and a word from the message where one rule guards several things. */
const CANARIES: ReadonlyArray<readonly [path: string, source: string, rule: string, says?: string]> = [
  ['libs/kernel/src/node.ts', "export { randomUUID } from 'node:crypto';\n", BANNED, 'kernel'],
  ['libs/kernel/src/bare-node.ts', "export { readFile } from 'fs/promises';\n", BANNED, 'kernel'],
  ...['EventBus', 'AggregateRoot', 'EventPublisher', 'Saga', 'EventsHandler'].flatMap((name) => [
    [`libs/contexts/a/src/${name}.ts`, `export { ${name} } from '@nestjs/cqrs';\n`, BANNED, 'event log'] as const,
    [`libs/kernel/src/${name}.ts`, `export { ${name} } from '@nestjs/cqrs';\n`, BANNED, 'event log'] as const,
    [
      `libs/platform/http-kit/src/${name}.ts`,
      `export { ${name} } from '@nestjs/cqrs';\n`,
      BANNED,
      'event log',
    ] as const,
  ]),
  [
    'libs/contexts/a/src/all.ts',
    "import * as cqrs from '@nestjs/cqrs';\nexport const a = cqrs;\n",
    BANNED,
    'event log',
  ],
  ['libs/surfaces/a/src/a.dto.ts', "export { ApiProperty } from '@nestjs/swagger';\n", BANNED, 'http-kit'],
  ['libs/surfaces/a/src/b.dto.ts', "export { ApiPropertyOptional } from '@nestjs/swagger';\n", BANNED, 'http-kit'],
  ['apps/a/src/any.ts', 'export const a = (b: any) => typeof b;\n', '@typescript-eslint/no-explicit-any'],
  [
    'apps/a/src/floating.ts',
    'export const a = () => {\n  Promise.resolve(1);\n};\n',
    '@typescript-eslint/no-floating-promises',
  ],
  [
    'apps/a/src/type-import.ts',
    "import { Module } from 'node:module';\nexport type M = Module;\n",
    '@typescript-eslint/consistent-type-imports',
  ],
  [
    'libs/contexts/a/src/a.decider.ts',
    "export function a(b: 'x' | 'y') {\n  switch (b) {\n    case 'x':\n      return 1;\n    default:\n      return 2;\n  }\n}\n",
    '@typescript-eslint/switch-exhaustiveness-check',
  ],
  ['apps/a/src/empty.ts', 'try {\n  JSON.parse("");\n} catch {}\n', 'no-empty'],
];

const LAWFUL: Files = {
  'libs/platform/http-kit/src/field.ts': "export { ApiProperty } from '@nestjs/swagger';\n",
  'libs/platform/operations/src/bus.ts': "export { CommandBus, QueryBus } from '@nestjs/cqrs';\n",
  'libs/kernel/src/kind.ts': "export const kind = 'invalid';\n",
  'libs/kernel/src/kind.spec.ts':
    "import { it } from '@jest/globals';\nimport { kind } from './kind.js';\n\nit(kind, () => undefined);\n",
};

interface Finding {
  readonly filePath: string;
  readonly messages: ReadonlyArray<{
    readonly ruleId: string | null;
    readonly message: string;
    readonly severity: number;
  }>;
}

describe('the linter', () => {
  let tree: Tree;
  let findings: ReadonlyMap<string, Finding>;

  beforeAll(() => {
    tree = new Tree({
      ...LAWFUL,
      ...Object.fromEntries(CANARIES.map(([path, source]) => [path, source])),
      'apps/a/src/disabled.ts': '// eslint-disable-next-line no-empty\ntry {\n  JSON.parse("");\n} catch {}\n',
    }).take('eslint.config.mjs', 'tsconfig.json', 'package.json');
    const { stdout, stderr } = tree.node(['node_modules/eslint/bin/eslint.js', '.', '--format', 'json']);
    if (stdout === '') throw new Error(stderr);
    findings = new Map((JSON.parse(stdout) as Finding[]).map((finding) => [finding.filePath, finding]));
  }, 240_000);
  afterAll(() => tree.dispose());

  const messagesFor = (path: string) => findings.get(join(tree.root, path))?.messages;

  it.each(Object.keys(LAWFUL))('has nothing against %s', (path) => expect(messagesFor(path)).toEqual([]));

  it.each(CANARIES)('stops %s', (path, _source, rule, says = '') => {
    expect(messagesFor(path)).toEqual([
      expect.objectContaining({ ruleId: rule, severity: 2, message: expect.stringContaining(says) }),
    ]);
  });

  it('is not talked out of it by a comment', () => {
    expect(messagesFor('apps/a/src/disabled.ts')).toContainEqual(expect.objectContaining({ ruleId: 'no-empty' }));
  });
});

describe('the formatter', () => {
  it('stops a file that is not formatted, and only that', () => {
    const tree = new Tree({
      'libs/a/good.ts': "export const a = ['b'];\n",
      'libs/a/bad.ts': 'export const a = ["b"]\n',
      'dist/generated.js': 'export const a = ["b"]\n',
    }).take('.prettierrc.json', '.prettierignore');
    try {
      const { status, stderr } = tree.node([
        'node_modules/prettier/bin/prettier.cjs',
        '--check',
        '--log-level',
        'warn',
        '.',
      ]);
      expect(status).toBe(1);
      expect(stderr.match(/\S+\.(ts|js)\b/g)).toEqual(['libs/a/bad.ts']);
    } finally {
      tree.dispose();
    }
  });
});
