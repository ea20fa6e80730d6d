import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  FindParkedEvents,
  FindProjections,
  GetRebuild,
  RebuildProjection,
  ReplayParkedEvents,
  RollbackProjection,
} from '#contexts/maintenance';
import type { Caller } from '#kernel';
import { Binds, CurrentCaller, CurrentRequest, ErrorResponses } from '#platform/http-kit';
import { Operations, type OperationRequest } from '#platform/operations';
import {
  ScriptoriumParkedEventsDto,
  ScriptoriumProjectionParamsDto,
  ScriptoriumProjectionsDto,
  ScriptoriumRebuildDto,
  ScriptoriumRebuildStartedDto,
  ScriptoriumReplayedDto,
  ScriptoriumReplayRequestDto,
  ScriptoriumRolledBackDto,
} from './projections.dto.js';
import { toParked, toProjection, toRebuild } from './projections.mapping.js';
import { ScriptoriumErrorDto } from './scriptorium-v1.errors.js';

@ApiTags('projections')
@ErrorResponses(ScriptoriumErrorDto)
@Controller('v1/admin/projections')
export class ProjectionsController {
  constructor(private readonly operations: Operations) {}

  @Get()
  @Binds(FindProjections)
  @ApiOperation({ summary: 'The read models, how far each is, and what it could not take in' })
  @ApiOkResponse({ type: ScriptoriumProjectionsDto })
  async list(@CurrentCaller() caller: Caller, @CurrentRequest() request: OperationRequest) {
    const items = await this.operations.run(new FindProjections(caller), request);
    return { items: items.map(toProjection) };
  }

  @Post(':name/rebuild')
  @HttpCode(202)
  @Binds(RebuildProjection)
  @ApiOperation({ summary: 'Build a read model anew beside the live one, compare the two, switch over' })
  @ApiAcceptedResponse({ type: ScriptoriumRebuildStartedDto })
  async rebuild(
    @Param() input: ScriptoriumProjectionParamsDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ): Promise<ScriptoriumRebuildStartedDto> {
    const started = await this.operations.run(new RebuildProjection(caller, input), request);
    return { ...started, state: 'rebuilding' };
  }

  @Get(':name/rebuild')
  @Binds(GetRebuild)
  @ApiOperation({ summary: 'The rebuild under way, or the last one and how the builds compared' })
  @ApiOkResponse({ type: ScriptoriumRebuildDto })
  async lastRebuild(
    @Param() input: ScriptoriumProjectionParamsDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ) {
    return toRebuild(await this.operations.run(new GetRebuild(caller, input), request));
  }

  @Post(':name/rollback')
  @HttpCode(200)
  @Binds(RollbackProjection)
  @ApiOperation({ summary: 'Switch back to the build before the last rebuild' })
  @ApiOkResponse({ type: ScriptoriumRolledBackDto })
  rollback(
    @Param() input: ScriptoriumProjectionParamsDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ): Promise<ScriptoriumRolledBackDto> {
    return this.operations.run(new RollbackProjection(caller, input), request);
  }

  @Get(':name/parked')
  @Binds(FindParkedEvents)
  @ApiOperation({ summary: 'The events a read model could not take in, with the error of each' })
  @ApiOkResponse({ type: ScriptoriumParkedEventsDto })
  async parked(
    @Param() input: ScriptoriumProjectionParamsDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ) {
    const items = await this.operations.run(new FindParkedEvents(caller, input), request);
    return { items: items.map(toParked) };
  }

  @Post(':name/parked/replay')
  @HttpCode(200)
  @Binds(ReplayParkedEvents)
  @ApiOperation({ summary: 'Try parked events again: one, or all' })
  @ApiBody({ type: ScriptoriumReplayRequestDto, required: false })
  @ApiOkResponse({ type: ScriptoriumReplayedDto })
  async replay(
    @Param() { name }: ScriptoriumProjectionParamsDto,
    @Body() { event_id: eventId }: ScriptoriumReplayRequestDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ): Promise<ScriptoriumReplayedDto> {
    const done = await this.operations.run(new ReplayParkedEvents(caller, { name, eventId }), request);
    return { replayed: done.replayed, still_parked: done.stillParked };
  }
}
