import { Module } from '@nestjs/common';
import { EventsController } from './events.controller.js';
import { ProjectionsController } from './projections.controller.js';

@Module({ controllers: [EventsController, ProjectionsController] })
export class ScriptoriumV1Module {}
