import { Column, Entity, PrimaryColumn, Repository } from 'typeorm';
import type { CollaborationPolicy, Modality, Visibility } from '../container/container.events.js';
import type { ContainerState, ContainerStats, ContainerView } from '../operations/container.view.js';

class StatsColumns implements ContainerStats {
  @Column('integer') documents!: number;
  @Column('integer') chunks!: number;
  @Column('integer', { name: 'text_chunks' }) textChunks!: number;
  @Column('integer', { name: 'image_chunks' }) imageChunks!: number;
  @Column('bigint', { name: 'size_bytes', transformer: { to: String, from: Number } }) sizeBytes!: number;
  @Column('timestamptz', { name: 'last_ingest', nullable: true }) lastIngest!: Date | null;
}

/** A row of the live view of the containers projection. */
@Entity({ schema: 'live', name: 'containers', synchronize: false })
export class ContainerRow implements ContainerView {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'parent_id', nullable: true }) parentId!: string | null;
  @Column('text') name!: string;
  @Column('text', { name: 'name_folded', select: false }) nameFolded!: string;
  @Column('text') theme!: string;
  @Column('text', { name: 'theme_folded', select: false }) themeFolded!: string;
  @Column('text', { nullable: true }) description!: string | null;
  @Column('text', { array: true }) modalities!: Modality[];
  @Column('text') embedder!: string;
  @Column('text', { name: 'embedder_version' }) embedderVersion!: string;
  @Column('integer') dims!: number;
  @Column('jsonb') policy!: Record<string, unknown>;
  @Column('jsonb') acl!: Record<string, unknown>;
  @Column('text') state!: ContainerState;
  @Column('text') visibility!: Visibility;
  @Column('text', { name: 'collaboration_policy' }) collaborationPolicy!: CollaborationPolicy;
  @Column('boolean', { name: 'auto_refresh' }) autoRefresh!: boolean;
  @Column('text', { name: 'mission_context', nullable: true }) missionContext!: string | null;
  @Column('text', { name: 'created_by_agent', nullable: true }) createdByAgent!: string | null;
  @Column('text', { name: 'manifest_version' }) manifestVersion!: string;
  @Column(() => StatsColumns, { prefix: false }) stats!: StatsColumns;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
}

/** Where the queries read containers. */
export class ContainerRows extends Repository<ContainerRow> {}
