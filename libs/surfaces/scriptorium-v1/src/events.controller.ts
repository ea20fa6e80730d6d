import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { FindEvents, type RecordedEvent } from '#contexts/maintenance';
import type { Caller } from '#kernel';
import { Binds, CurrentCaller, CurrentRequest, ErrorResponses } from '#platform/http-kit';
import { Operations, type OperationRequest } from '#platform/operations';
import { ScriptoriumEventsDto, ScriptoriumEventsRequestDto, type ScriptoriumEventDto } from './events.dto.js';
import { ScriptoriumErrorDto } from './scriptorium-v1.errors.js';

@ApiTags('events')
@ErrorResponses(ScriptoriumErrorDto)
@Controller('v1/events')
export class EventsController {
  constructor(private readonly operations: Operations) {}

  @Get()
  @Binds(FindEvents)
  @ApiOperation({ summary: 'What happened: the log, or one stream of it' })
  @ApiOkResponse({ type: ScriptoriumEventsDto })
  async find(
    @Query() input: ScriptoriumEventsRequestDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ): Promise<ScriptoriumEventsDto> {
    const page = await this.operations.run(new FindEvents(caller, input), request);
    return { items: page.items.map(toEvent), next_cursor: page.nextCursor };
  }
}

function toEvent({
  id,
  stream,
  revision,
  position,
  type,
  recordedAt,
  data,
  metadata,
}: RecordedEvent): ScriptoriumEventDto {
  return {
    id,
    stream,
    revision,
    position,
    type,
    at: recordedAt.toISOString(),
    data: data as Record<string, unknown>,
    metadata,
  };
}
