import type { Decider } from '#kernel';
import { isStorable, policyProblems } from './container-policy.state.js';
import { refuseContainer } from './container.errors.js';
import type {
  ContainerCreated,
  ContainerEvent,
  ContainerProfile,
  ContainerRenamed,
  Modality,
} from './container.events.js';
import {
  CLAIM_PATIENCE_MS,
  DEFAULT_MODALITIES,
  MODALITIES,
  TEXT_LIMITS,
  nextManifestVersion,
  type Container,
  type Embedder,
  type ExistingContainer,
} from './container.state.js';

/** The profile as callers give it: its texts are not yet erasable. */
export interface ProfileInput extends ContainerProfile {
  readonly theme: string;
  readonly description: string | null;
  readonly mission_context: string | null;
}

export interface CreateData {
  readonly id: string;
  readonly name: string;
  readonly claimId: string;
  readonly profile: Partial<ProfileInput>;
  /** The container above it, as it stands; its policy is the child's too. */
  readonly parent?: { readonly id: string; readonly container: Container };
  readonly modalities?: readonly string[];
  readonly embedder?: Partial<Embedder>;
  readonly policy?: Readonly<Record<string, unknown>>;
  readonly createdByAgent?: string;
  /** What this installation can embed with; the first is used when none is named. */
  readonly installed: readonly [Embedder, ...Embedder[]];
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

export interface RenameData {
  readonly name: string;
  readonly claimId: string;
  readonly day: string;
}

export interface ReviseData {
  readonly profile: Partial<ProfileInput>;
  readonly state?: 'active' | 'paused';
  readonly day: string;
}

export interface ForfeitData {
  readonly id: string;
  readonly claimId: string;
  readonly claimedAt: Date;
  readonly now: Date;
}

export type ContainerCommand =
  | { readonly type: 'Create'; readonly data: CreateData }
  | { readonly type: 'Rename'; readonly data: RenameData }
  | { readonly type: 'Revise'; readonly data: ReviseData }
  | { readonly type: 'Archive' }
  | { readonly type: 'ForfeitClaim'; readonly data: ForfeitData };

export const containerDecider: Decider<Container, ContainerCommand, ContainerEvent> = {
  initial: () => ({ status: 'absent', spentClaims: [] }),

  decide: (command, container) => {
    switch (command.type) {
      case 'Create':
        return create(command.data, container);
      case 'Rename':
        return rename(command.data, existing(container));
      case 'Revise':
        return revise(command.data, existing(container));
      case 'Archive':
        return archive(existing(container));
      case 'ForfeitClaim':
        return forfeit(command.data, container);
    }
  },

  evolve: (container, event) => {
    if (event.type === 'ContainerCreated') return born(event.data, container);
    if (event.type === 'NameClaimForfeited') return spend(event.data.claim_id, container);
    return container.status === 'absent' ? container : evolved(container, event);
  },
};

function create(data: CreateData, container: Container): ContainerEvent[] {
  if (container.status !== 'absent') {
    if (container.claimId === data.claimId) return [];
    throw refuseContainer('CONTAINER_EXISTS', { id: data.id });
  }
  refuseSpent(data.claimId, container);
  const embedder = chosenEmbedder(data);
  const facts: ContainerCreated['data'] = {
    container_id: data.id,
    parent_id: data.parent?.id ?? null,
    name: data.name,
    claim_id: data.claimId,
    theme: data.profile.theme ?? data.name,
    description: data.profile.description ?? null,
    mission_context: data.profile.mission_context ?? null,
    visibility: data.profile.visibility ?? 'private',
    collaboration_policy: data.profile.collaboration_policy ?? 'read-only',
    auto_refresh: data.profile.auto_refresh ?? false,
    modalities: checkedModalities(data.modalities ?? DEFAULT_MODALITIES),
    embedder: embedder.name,
    embedder_version: embedder.version,
    dims: embedder.dims,
    policy: policyFor(data),
    acl: {},
    created_by_agent: data.createdByAgent ?? null,
    manifest_version: nextManifestVersion(data.day),
  };
  checkTexts(data.profile);
  return [{ type: 'ContainerCreated', data: facts }];
}

function rename({ name, claimId, day }: RenameData, container: ExistingContainer): ContainerEvent[] {
  refuseArchived(container);
  if (name === container.name) return [];
  refuseSpent(claimId, container);
  const facts: ContainerRenamed['data'] = {
    container_id: container.id,
    name,
    claim_id: claimId,
    previous_name: container.name,
    previous_claim_id: container.claimId,
    manifest_version: nextManifestVersion(day, container.manifestVersion),
  };
  return [{ type: 'ContainerRenamed', data: facts }];
}

function revise({ profile, state, day }: ReviseData, container: ExistingContainer): ContainerEvent[] {
  if (state === undefined) refuseArchived(container);
  checkTexts(profile);
  const changes = changesTo(container.profile, profile);
  const moves = state === undefined ? [] : movesTo(state, container);
  if (Object.keys(changes).length === 0) return moves;
  const manifest_version = nextManifestVersion(day, container.manifestVersion);
  return [...moves, { type: 'ContainerRevised', data: { container_id: container.id, ...changes, manifest_version } }];
}

function movesTo(target: 'active' | 'paused', { id, status }: ExistingContainer): ContainerEvent[] {
  const data = { container_id: id };
  const moves: ContainerEvent[] = status === 'archived' ? [{ type: 'ContainerRestored', data }] : [];
  if (target === 'paused' && status !== 'paused') moves.push({ type: 'ContainerPaused', data });
  if (target === 'active' && status === 'paused') moves.push({ type: 'ContainerResumed', data });
  return moves;
}

function archive({ id, status }: ExistingContainer): ContainerEvent[] {
  return status === 'archived' ? [] : [{ type: 'ContainerArchived', data: { container_id: id } }];
}

function forfeit({ id, claimId, claimedAt, now }: ForfeitData, container: Container): ContainerEvent[] {
  if (container.status !== 'absent' && container.claimId === claimId) return [];
  if (container.spentClaims.includes(claimId)) return [];
  if (now.getTime() - claimedAt.getTime() < CLAIM_PATIENCE_MS) return [];
  return [{ type: 'NameClaimForfeited', data: { container_id: id, claim_id: claimId } }];
}

function existing(container: Container): ExistingContainer {
  if (container.status === 'absent') throw refuseContainer('CONTAINER_NOT_FOUND');
  return container;
}

function refuseArchived({ status, name }: ExistingContainer): void {
  if (status === 'archived') throw refuseContainer('CONTAINER_ARCHIVED', {}, `The container ${name} is archived.`);
}

function refuseSpent(claimId: string, { spentClaims }: Container): void {
  if (spentClaims.includes(claimId)) throw refuseContainer('NAME_CLAIM_LOST', { field: 'name' });
}

function chosenEmbedder({ embedder = {}, installed }: CreateData): Embedder {
  const chosen = embedder.name === undefined ? installed[0] : installed.find(({ name }) => name === embedder.name);
  const { version = chosen?.version, dims = chosen?.dims } = embedder;
  if (chosen && chosen.version === version && chosen.dims === dims) return chosen;
  throw refuseContainer('EMBEDDER_UNKNOWN', { field: 'embedder', installed });
}

function checkedModalities(modalities: readonly string[]): readonly Modality[] {
  const known: readonly string[] = MODALITIES;
  const distinct = new Set(modalities).size === modalities.length;
  if (modalities.length === 0 || !distinct || !modalities.every((modality) => known.includes(modality))) {
    throw refuseContainer('INVALID_MODALITIES', { field: 'modalities' });
  }
  return modalities as readonly Modality[];
}

function policyFor({ parent, policy = {} }: CreateData): Readonly<Record<string, unknown>> {
  const problems = policyProblems(policy);
  if (problems.length > 0) throw refuseContainer('INVALID_POLICY', { field_errors: problems });
  if (!parent) return policy;
  if (parent.container.status === 'absent') throw refuseContainer('PARENT_NOT_FOUND', { field: 'parent_id' });
  if (parent.container.status === 'archived') throw refuseContainer('PARENT_ARCHIVED', { field: 'parent_id' });
  return parent.container.policy;
}

function checkTexts(profile: Partial<ProfileInput>): void {
  const blank = profile.theme !== undefined && profile.theme.trim() === '';
  if (blank) throw refuseContainer('INVALID_TEXT', { field: 'theme' }, 'The theme is blank.');
  for (const [field, limit] of Object.entries(TEXT_LIMITS)) {
    const text = profile[field as keyof typeof TEXT_LIMITS] ?? '';
    if ([...text].length > limit || !isStorable(text)) throw refuseContainer('INVALID_TEXT', { field });
  }
}

function changesTo(current: ContainerProfile, wanted: Partial<ProfileInput>): Partial<ContainerProfile> {
  const differs = ([field, value]: [string, unknown]) =>
    value !== undefined && value !== current[field as keyof ContainerProfile];
  return Object.fromEntries(Object.entries(wanted).filter(differs));
}

function born(data: ContainerCreated['data'], { spentClaims }: Container): Container {
  const { container_id: id, name, claim_id: claimId, policy, manifest_version: manifestVersion } = data;
  const { theme, description, mission_context, visibility, collaboration_policy, auto_refresh } = data;
  const profile = { theme, description, mission_context, visibility, collaboration_policy, auto_refresh };
  return { status: 'active', id, name, claimId, spentClaims, profile, policy, manifestVersion };
}

function spend<State extends Container>(claimId: string, container: State): State {
  return { ...container, spentClaims: [...container.spentClaims, claimId] };
}

type LaterEvent = Exclude<ContainerEvent, { type: 'ContainerCreated' | 'NameClaimForfeited' }>;

function evolved(container: ExistingContainer, event: LaterEvent): Container {
  switch (event.type) {
    case 'ContainerRenamed': {
      const { name, claim_id: claimId, manifest_version: manifestVersion } = event.data;
      const before = claimId === container.claimId ? container : spend(container.claimId, container);
      return { ...before, name, claimId, manifestVersion };
    }
    case 'ContainerRevised': {
      const { container_id: _id, manifest_version: manifestVersion, ...changes } = event.data;
      return { ...container, profile: { ...container.profile, ...changes }, manifestVersion };
    }
    case 'ContainerPaused':
      return { ...container, status: 'paused' };
    case 'ContainerResumed':
    case 'ContainerRestored':
      return { ...container, status: 'active' };
    case 'ContainerArchived':
      return { ...container, status: 'archived' };
  }
}
