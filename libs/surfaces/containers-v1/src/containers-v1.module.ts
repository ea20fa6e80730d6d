import { Module } from '@nestjs/common';
import type { Surface } from '#platform/http-kit';
import { failContainers } from './containers-v1.errors.js';
import { ContainersController } from './containers.controller.js';

/** The paths this contract answers for, whether there is a route or not. */
const OWN = /^\/v1\/(containers|jobs|documents|collaboration)(\/|$)/;

export const containersV1: Surface = {
  name: 'containers-v1',
  title: 'Scriptorium: containers v1',
  about: 'Containers of knowledge: create, find and describe them.',
  owns: (path) => OWN.test(path),
  fail: failContainers,
};

@Module({ controllers: [ContainersController] })
export class ContainersV1Module {}
