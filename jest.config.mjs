const swc = {
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  exclude: [],
  swcrc: false,
};

const base = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc],
    // Plain ES modules that @fastify/static requires: Node 20 can do that, jest on Node 20 cannot.
    '/node_modules/content-disposition/.+\\.js$': ['@swc/jest', { module: { type: 'commonjs' }, swcrc: false }],
  },
  transformIgnorePatterns: ['/node_modules/(?!content-disposition/)'],
  moduleNameMapper: {
    '^#kernel$': '<rootDir>/libs/kernel/src/index.ts',
    '^#(platform|contexts|surfaces)/([^/]+)$': '<rootDir>/libs/$1/$2/src/index.ts',
    '^#composition$': '<rootDir>/libs/composition/src/index.ts',
    '^#testing$': '<rootDir>/libs/testing/src/index.ts',
    '^#migrations$': '<rootDir>/migrations/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

const suite = (displayName, testMatch, testPathIgnorePatterns = []) => ({
  ...base,
  displayName,
  testMatch: testMatch.map((glob) => `<rootDir>/${glob}`),
  testPathIgnorePatterns: ['/node_modules/', ...testPathIgnorePatterns],
});

/** One project per need: nothing, embedded stores, processes, real engines, faults. */
export default {
  maxWorkers: 2,
  workerIdleMemoryLimit: '512MB',
  testTimeout: 60_000,
  projects: [
    suite(
      'unit',
      ['libs/**/*.spec.ts', 'apps/**/*.spec.ts', 'scripts/**/*.spec.ts'],
      ['\\.(int|e2e|engine|fault)\\.spec\\.ts$'],
    ),
    suite('int', ['{libs,apps,test}/**/*.int.spec.ts']),
    suite('architecture', ['test/architecture/*.spec.ts']),
    suite('e2e', ['{libs,apps,test}/**/*.e2e.spec.ts']),
    suite('engines', ['{libs,apps,test}/**/*.engine.spec.ts']),
    suite('faults', ['{libs,apps,test}/**/*.fault.spec.ts']),
  ],
};
