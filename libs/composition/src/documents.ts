import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { programVersion } from '#platform/settings';
import { PUBLISHED, type PublishedSurface } from './surfaces.js';

/** The description of one surface. */
export function documentOf(app: INestApplication, { surface, modules }: PublishedSurface): OpenAPIObject {
  return describe(app, surface.title, surface.about, modules, 'http://127.0.0.1:7801');
}

/** The description of all surfaces together, as the server shows it. */
export function wholeDocument(app: INestApplication): OpenAPIObject {
  const about = PUBLISHED.map(({ surface }) => `**${surface.name}**: ${surface.about}`).join('\n\n');
  return describe(
    app,
    'Scriptorium',
    about,
    PUBLISHED.flatMap(({ modules }) => [...modules]),
    // Whoever reads it here calls here, whatever the port and the name.
    '/',
  );
}

/** Swagger UI at `/docs`, the description at `/openapi.json`. */
export function serveDocuments(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => wholeDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Scriptorium API',
  });
}

function describe(
  app: INestApplication,
  title: string,
  about: string,
  modules: PublishedSurface['modules'],
  url: string,
): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle(title)
    .setDescription(about)
    .setVersion(programVersion())
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(url)
    .addBearerAuth()
    .addSecurityRequirements('bearer')
    .build();
  return SwaggerModule.createDocument(app, config, {
    include: [...modules],
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
}
