import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { EventStore } from '#platform/eventlog';
import { CommandOperation, Operation, READ_MODELS, type ReadModels } from '#platform/operations';
import { DATABASE, type Database } from '#platform/postgres';
import { containerDecider } from '../container/container.decider.js';
import { refuseContainer } from '../container/container.errors.js';
import { containerBy } from './container-reference.js';
import { containerStream, decideOn } from './streams.js';

const PATIENCE_MS = 5_000;

export interface ArchivedContainers {
  readonly id: string;
  readonly name: string;
  /** How many containers below it are archived with it. */
  readonly descendants: number;
}

@Operation({ name: 'archive_container', permission: 'containers:archive' })
export class ArchiveContainer extends CommandOperation<ArchivedContainers> {
  constructor(
    readonly caller: Caller,
    /** A uuid or a name. */
    readonly reference: string,
  ) {
    super();
  }
}

@CommandHandler(ArchiveContainer)
export class ArchiveContainerHandler implements ICommandHandler<ArchiveContainer> {
  constructor(
    private readonly store: EventStore,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
  ) {}

  /** Level by level: once a level is archived it gets no more children, so all it has can be seen. */
  async execute({ reference, execution }: ArchiveContainer): Promise<ArchivedContainers> {
    const desk = { store: this.store, execution };
    const { id, name } = await containerBy(desk, reference);
    let descendants = 0;
    for (let level = [id]; level.length > 0; level = await this.childrenOf(level)) {
      const archive = (each: string) => decideOn(desk, containerDecider, containerStream(each), { type: 'Archive' });
      await Promise.all(level.map(archive));
      descendants += level.length;
    }
    return { id, name, descendants: descendants - 1 };
  }

  private async childrenOf(parents: readonly string[]): Promise<string[]> {
    const seen = await this.readModels.waitFor(['containers'], await this.store.log.head(), PATIENCE_MS);
    if (!seen) throw refuseContainer('ARCHIVE_UNFINISHED');
    const { rows } = await this.database.query<{ id: string }>(
      'select id from live.containers where parent_id = any($1::uuid[]) order by id',
      [parents],
    );
    return rows.map((row) => row.id);
  }
}
