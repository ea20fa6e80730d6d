import type { CollaborationPolicy, Modality, Visibility } from '../container/container.events.js';
import type { ContainerState } from '../container/container.state.js';

export type { ContainerState };

/** What a container holds, in numbers. */
export interface ContainerStats {
  readonly documents: number;
  readonly chunks: number;
  readonly textChunks: number;
  readonly imageChunks: number;
  readonly sizeBytes: number;
  readonly lastIngest: Date | null;
}

/** A container as it is read. */
export interface ContainerView {
  readonly id: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly theme: string;
  readonly description: string | null;
  readonly modalities: readonly Modality[];
  readonly embedder: string;
  readonly embedderVersion: string;
  readonly dims: number;
  readonly policy: Readonly<Record<string, unknown>>;
  readonly acl: Readonly<Record<string, unknown>>;
  readonly state: ContainerState;
  readonly visibility: Visibility;
  readonly collaborationPolicy: CollaborationPolicy;
  readonly autoRefresh: boolean;
  readonly missionContext: string | null;
  readonly createdByAgent: string | null;
  readonly manifestVersion: string;
  readonly stats: ContainerStats;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
