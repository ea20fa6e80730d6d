import type { Type } from '@nestjs/common';
import { Surfaces, type Surface } from '#platform/http-kit';
import { containersV1, ContainersV1Module } from '#surfaces/containers-v1';
import { scriptoriumV1, ScriptoriumV1Module } from '#surfaces/scriptorium-v1';
import { InfrastructureModule } from './infrastructure.module.js';

/** A surface and the modules whose routes are described in its document. */
export interface PublishedSurface {
  readonly surface: Surface;
  readonly modules: readonly Type[];
}

/** Every surface of the program; the last one answers for all paths that no other owns. */
export const PUBLISHED: readonly [PublishedSurface, ...PublishedSurface[]] = [
  { surface: containersV1, modules: [ContainersV1Module] },
  { surface: scriptoriumV1, modules: [ScriptoriumV1Module, InfrastructureModule] },
];

export function allSurfaces(): Surfaces {
  const [first, ...rest] = PUBLISHED;
  return new Surfaces([first.surface, ...rest.map(({ surface }) => surface)]);
}
