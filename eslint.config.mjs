import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const root = fileURLToPath(new URL('.', import.meta.url));

const IN_MEMORY_EVENTS = {
  name: '@nestjs/cqrs',
  importNames: ['AggregateRoot', 'EventBus', 'EventPublisher', 'EventsHandler', 'Saga'],
  message: 'Our event bus is the event log, with checkpoints: write a decider, a projection or a reactor.',
};
const BARE_SCHEMA = {
  name: '@nestjs/swagger',
  importNames: ['ApiProperty', 'ApiPropertyOptional', 'ApiResponseProperty'],
  message: 'Use the field decorators of #platform/http-kit: they give the validation and the schema in one.',
};
const NODE = {
  group: ['node:*', ...builtinModules.flatMap((name) => [name, `${name}/*`])],
  message: 'The kernel runs anywhere: it imports nothing, not even Node.',
};

/** ESLint replaces a rule's options as a whole, so every place lists all of its bans. */
const ban = (paths, patterns = []) => ({ 'no-restricted-imports': ['error', { paths, patterns }] });

export default tseslint.config(
  {
    ignores: ['dist/', '.dist-*/', '.data/', '.cache/', 'coverage/', 'bench/results/', 'openapi/', 'test/fixtures/'],
  },
  { linterOptions: { noInlineConfig: true } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // `async` without `await` is how an implementation of a port turns a throw into a rejection.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      ...ban([IN_MEMORY_EVENTS, BARE_SCHEMA]),
    },
  },
  {
    // A decider answers each command and each event by name: a default would hide the one that was forgotten.
    files: ['libs/contexts/**/*.ts'],
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: false }],
    },
  },
  { files: ['libs/platform/http-kit/**/*.ts'], rules: ban([IN_MEMORY_EVENTS]) },
  { files: ['libs/kernel/**/*.ts'], ignores: ['**/*.spec.ts'], rules: ban([IN_MEMORY_EVENTS, BARE_SCHEMA], [NODE]) },
  {
    // Answers that come over the wire are `any` in supertest's types, and an assertion is what gives them a shape.
    files: ['**/*.spec.ts', 'test/**/*.ts', 'libs/testing/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'AbortController',
          'Buffer',
          'URL',
          'clearTimeout',
          'console',
          'fetch',
          'process',
          'setTimeout',
          'structuredClone',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs', globals: { module: 'writable', require: 'readonly' } },
  },
);
