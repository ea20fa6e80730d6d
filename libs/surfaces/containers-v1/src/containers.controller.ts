import { Body, Controller, Delete, HttpCode, Param, Patch, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ArchiveContainer,
  CreateContainer,
  FindContainers,
  GetContainer,
  RenameContainer,
  ReviseContainer,
} from '#contexts/holdings';
import type { Caller } from '#kernel';
import { Binds, CurrentCaller, CurrentRequest, ErrorResponses } from '#platform/http-kit';
import { Operations, type AnyOperation, type OperationRequest } from '#platform/operations';
import {
  ContainersDescribeDto,
  ContainersDoneDto,
  ContainersErrorDto,
  ContainersListDto,
} from './containers-answers.dto.js';
import {
  ContainersCreateRequestDto,
  ContainersDeleteQueryDto,
  ContainersDescribeRequestDto,
  ContainersListRequestDto,
  ContainersRenameRequestDto,
  type ContainersRequestDto,
  ContainersUpdateRequestDto,
} from './containers-requests.dto.js';
import {
  containersToFilter,
  containersToNew,
  containersToRevision,
  toContainersDescribe,
  toContainersDone,
  toContainersList,
} from './containers.mapping.js';
import { ContainersEnvelope, type Payload } from './envelope.js';

@ApiTags('containers')
@ErrorResponses(ContainersErrorDto)
@UseInterceptors(ContainersEnvelope)
@Controller('v1/containers')
export class ContainersController {
  constructor(private readonly operations: Operations) {}

  @Post('list')
  @HttpCode(200)
  @Binds(FindContainers)
  @ApiOperation({ summary: 'Containers, newest first' })
  @ApiOkResponse({ type: ContainersListDto })
  async list(
    @Body() dto: ContainersListRequestDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ): Promise<Payload<ContainersListDto>> {
    const found = await this.run(new FindContainers(caller, containersToFilter(dto)), request, dto);
    return toContainersList(found, dto.include_stats);
  }

  @Post('describe')
  @HttpCode(200)
  @Binds(GetContainer)
  @ApiOperation({ summary: 'One container, with what it holds and its policy' })
  @ApiOkResponse({ type: ContainersDescribeDto })
  async describe(
    @Body() dto: ContainersDescribeRequestDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ): Promise<Payload<ContainersDescribeDto>> {
    return toContainersDescribe(await this.run(new GetContainer(caller, dto.container), request, dto));
  }

  @Post('create')
  @HttpCode(200)
  @Binds(CreateContainer)
  @ApiOperation({ summary: 'Create a container' })
  @ApiOkResponse({ type: ContainersDoneDto })
  async create(
    @Body() dto: ContainersCreateRequestDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ): Promise<Payload<ContainersDoneDto>> {
    const { id, name } = await this.run(new CreateContainer(caller, containersToNew(dto)), request, dto);
    return toContainersDone(id, `Container ${name} created.`);
  }

  @Patch(':id/update')
  @Binds(ReviseContainer)
  @ApiOperation({ summary: 'Change what a container says about itself, or its state' })
  @ApiOkResponse({ type: ContainersDoneDto })
  async update(
    @Param('id') reference: string,
    @Body() dto: ContainersUpdateRequestDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ): Promise<Payload<ContainersDoneDto>> {
    const revision = new ReviseContainer(caller, reference, containersToRevision(dto));
    const { id, name, changed } = await this.run(revision, request, dto);
    return toContainersDone(id, changed ? `Container ${name} updated.` : `Container ${name} said all of this before.`);
  }

  @Post(':id/rename')
  @HttpCode(200)
  @Binds(RenameContainer)
  @ApiOperation({ summary: 'Give a container another name' })
  @ApiOkResponse({ type: ContainersDoneDto })
  async rename(
    @Param('id') reference: string,
    @Body() dto: ContainersRenameRequestDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ): Promise<Payload<ContainersDoneDto>> {
    const { id, name } = await this.run(new RenameContainer(caller, reference, dto.name), request, dto);
    return toContainersDone(id, `The container is named ${name}.`);
  }

  @Delete(':id')
  @Binds(ArchiveContainer)
  @ApiOperation({ summary: 'Archive a container and all containers below it' })
  @ApiOkResponse({ type: ContainersDoneDto })
  async archive(
    @Param('id') reference: string,
    @Query() _query: ContainersDeleteQueryDto,
    @CurrentCaller() caller: Caller,
    @CurrentRequest() request: OperationRequest,
  ): Promise<Payload<ContainersDoneDto>> {
    const { id, name, descendants } = await this.operations.run(new ArchiveContainer(caller, reference), request);
    return toContainersDone(id, `Container ${name} archived${descendants > 0 ? `, and ${descendants} below it` : ''}.`);
  }

  /** A request may name itself in its body; that is then what its events are correlated by. */
  private run<R>(operation: AnyOperation<R>, request: OperationRequest, dto: ContainersRequestDto): Promise<R> {
    return this.operations.run(operation, { ...request, requestId: dto.request_id ?? request.requestId });
  }
}
