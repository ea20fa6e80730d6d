import type { DomainEvent, Sealable } from '#kernel';

export type Modality = 'text' | 'pdf' | 'image' | 'web';
export type Visibility = 'private' | 'team' | 'public';
export type CollaborationPolicy = 'read-only' | 'contribute';

/** What the owner may say about a container at any time. The texts are sealed. */
export interface ContainerProfile {
  readonly theme: Sealable<string>;
  readonly description: Sealable<string> | null;
  readonly mission_context: Sealable<string> | null;
  readonly visibility: Visibility;
  readonly collaboration_policy: CollaborationPolicy;
  readonly auto_refresh: boolean;
}

type OfContainer = { readonly container_id: string };

export type ContainerCreated = DomainEvent<
  'ContainerCreated',
  OfContainer &
    ContainerProfile & {
      readonly parent_id: string | null;
      readonly name: string;
      readonly claim_id: string;
      readonly modalities: readonly Modality[];
      readonly embedder: string;
      readonly embedder_version: string;
      readonly dims: number;
      readonly policy: Readonly<Record<string, unknown>>;
      readonly acl: Readonly<Record<string, unknown>>;
      readonly created_by_agent: string | null;
      readonly manifest_version: string;
    }
>;

export type ContainerRenamed = DomainEvent<
  'ContainerRenamed',
  OfContainer & {
    readonly name: string;
    readonly claim_id: string;
    readonly previous_name: string;
    readonly previous_claim_id: string;
    readonly manifest_version: string;
  }
>;

/** Carries the new values of what changed. */
export type ContainerRevised = DomainEvent<
  'ContainerRevised',
  OfContainer & Partial<ContainerProfile> & { readonly manifest_version: string }
>;

export type ContainerPaused = DomainEvent<'ContainerPaused', OfContainer>;
export type ContainerResumed = DomainEvent<'ContainerResumed', OfContainer>;
export type ContainerArchived = DomainEvent<'ContainerArchived', OfContainer>;
export type ContainerRestored = DomainEvent<'ContainerRestored', OfContainer>;

/** The container waited too long to take up a name it had claimed: it never may, and the name is free for others. */
export type NameClaimForfeited = DomainEvent<'NameClaimForfeited', OfContainer & { readonly claim_id: string }>;

export type ContainerEvent =
  | ContainerCreated
  | ContainerRenamed
  | ContainerRevised
  | ContainerPaused
  | ContainerResumed
  | ContainerArchived
  | ContainerRestored
  | NameClaimForfeited;
