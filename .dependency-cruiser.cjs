/**
 * Who may know whom. Judged on the resolved graph, type-only imports included. Each rule has a canary in
 * test/architecture that shows it failing.
 *
 *   apps -> composition -> surfaces -> contexts (front door) -> kernel
 *   composition -> contexts (front door)   contexts -> platform -> kernel   surfaces -> platform/{operations,http-kit,mcp-kit}
 */
const PACKAGE = '(?:kernel|testing|composition|(?:contexts|surfaces|platform)/[^/]+)';
const SPEC = '\\.spec\\.ts$';
const PURE = '\\.(?:events|state|decider|gate|errors)\\.ts$';

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    rule(
      'kernel-depends-on-nothing',
      'The kernel is plain TypeScript: no package, no Node module, no other folder.',
      { path: '^libs/kernel/', pathNot: SPEC },
      { pathNot: '^libs/kernel/' },
    ),
    rule(
      'deciders-are-pure',
      'Events, states, deciders, gates and refusals import only the kernel and each other.',
      { path: `^libs/contexts/.+${PURE}` },
      { pathNot: ['^libs/kernel/', `^libs/contexts/.+${PURE}`] },
    ),
    rule(
      'contexts-do-not-know-each-other',
      'Only a projection or a reactor may import another context, for its event types.',
      { path: '^libs/contexts/([^/]+)/', pathNot: '\\.(?:projection|reactor)\\.ts$' },
      { path: '^libs/contexts/', pathNot: '^libs/contexts/$1/' },
    ),
    rule(
      'contexts-know-no-surface',
      'Wire names and wire shapes stay in the surfaces.',
      { path: '^libs/contexts/' },
      { path: '^libs/surfaces/' },
    ),
    rule(
      'only-the-front-door',
      'What a package does not show in its index.ts is its own business.',
      { path: '^(migrations|bench|(?:apps|libs)/(?:(?:contexts|surfaces|platform)/)?[^/]+)/' },
      { path: `^libs/${PACKAGE}/`, pathNot: ['^$1/', `^libs/${PACKAGE}/src/index\\.ts$`] },
    ),
    rule(
      'front-door-shows-contracts-only',
      'A context shows its operations with their results, its events, its refusals and its module; nothing that decides or stores.',
      { path: '^libs/contexts/([^/]+)/src/index\\.ts$' },
      { path: '^libs/contexts/', pathNot: ['^libs/contexts/$1/src/operations/', '\\.(?:events|errors|module)\\.ts$'] },
    ),
    rule(
      'surfaces-do-not-know-each-other',
      'Each surface speaks one contract.',
      { path: '^libs/surfaces/([^/]+)/' },
      { path: '^libs/surfaces/', pathNot: '^libs/surfaces/$1/' },
    ),
    rule(
      'surfaces-touch-no-infrastructure',
      'A surface reaches the core through Operations, and there is no way round: no bus, no store, no driver.',
      { path: '^libs/surfaces/', pathNot: SPEC },
      {
        path: [
          '^libs/platform/(?!(?:operations|http-kit|mcp-kit)/)',
          '^migrations/',
          '(?:^|/)node_modules/(?:@nestjs/(?:cqrs|typeorm|bull)|typeorm|pg|@electric-sql/[^/]+|@eventstore/[^/]+|bull|ioredis)/',
          '^(?:node:)?(?:fs|net|child_process|worker_threads)(?:/|$)',
        ],
      },
    ),
    rule(
      'platform-knows-no-domain',
      'The platform would serve another domain as well.',
      { path: '^libs/platform/' },
      { path: '^libs/(?:contexts|surfaces)/' },
    ),
    rule(
      'only-apps-compose',
      'The composition knows everybody, so nobody it puts together may know it.',
      { pathNot: ['^apps/', '^bench/', '^libs/composition/', SPEC] },
      { path: '^libs/composition/' },
    ),
    rule(
      'nobody-imports-an-app',
      'Apps only put things together, so there is nothing in them to import.',
      { path: '^(apps/[^/]+|[^/]+)/' },
      { path: '^apps/', pathNot: '^$1/' },
    ),
    rule(
      'testing-is-for-tests',
      'What ships does not depend on what tests it.',
      { pathNot: [SPEC, '^libs/testing/', '^bench/'] },
      { path: '^libs/testing/' },
    ),
    rule('no-circular', 'A circle of imports is one file that was cut in the wrong place.', {}, { circular: true }),
    rule(
      'everything-resolves',
      'An import that does not resolve is one that no other rule can judge.',
      {},
      { couldNotResolve: true },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(?:dist|coverage)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
