import { beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { auditBindings, describeContracts, operationsOf, previewApp, routesOf } from '#composition';

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await previewApp();
});

describe('the routes', () => {
  it('each run a declared operation, and each operation can be reached', () => {
    expect(routesOf(app).length).toBeGreaterThan(10);
    expect(auditBindings(routesOf(app), operationsOf(app))).toEqual([]);
  });

  it('would be caught if one bound nothing', () => {
    const [route] = routesOf(app).filter(({ operation }) => operation !== undefined);
    const unbound = { ...route!, handler: 'Canary.sings', operation: undefined };
    expect(auditBindings([...routesOf(app), unbound], operationsOf(app))).toEqual([
      expect.stringContaining('Canary.sings'),
    ]);
  });

  it('would be caught if one called itself infrastructure', () => {
    const [route] = routesOf(app);
    const claimed = { ...route!, path: '/canary', handler: 'Canary.sings', operation: undefined, infrastructure: true };
    expect(auditBindings([...routesOf(app), claimed], operationsOf(app))).toEqual([
      expect.stringContaining('not a known infrastructure route'),
    ]);
  });

  it('would be caught if an operation lost its last route, unless it is internal', () => {
    const [operation] = operationsOf(app);
    const orphan = { ...operation!, name: 'canary' };
    expect(auditBindings(routesOf(app), [...operationsOf(app), orphan])).toEqual([expect.stringContaining('canary')]);
    expect(auditBindings(routesOf(app), [...operationsOf(app), { ...orphan, internal: true }])).toEqual([]);
  });
});

describe('what is published', () => {
  it('names each code of a refusal once', async () => {
    const { errors } = await describeContracts();
    const codes = [...errors.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(20);
    expect(codes).toEqual([...new Set(codes)]);
  });

  it('puts every route into the document of one surface', async () => {
    const { documents } = await describeContracts();
    const described = Object.values(documents).flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );
    const declared = routesOf(app).map(({ method, path }) => `${method} ${path.replace(/:([^/]+)/g, '{$1}')}`);
    expect(described.sort()).toEqual(declared.sort());
  });
});
