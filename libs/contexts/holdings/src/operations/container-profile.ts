import type { ProfileInput } from '../container/container.decider.js';
import type { CollaborationPolicy, Visibility } from '../container/container.events.js';

/** What a caller may say about a container at any time. What is left out stays as it is. */
export interface ProfileChanges {
  readonly theme?: string;
  readonly description?: string | null;
  readonly missionContext?: string | null;
  readonly visibility?: Visibility;
  readonly collaborationPolicy?: CollaborationPolicy;
  readonly autoRefresh?: boolean;
}

export function profileFacts(changes: ProfileChanges): Partial<ProfileInput> {
  return {
    theme: changes.theme,
    description: changes.description,
    mission_context: changes.missionContext,
    visibility: changes.visibility,
    collaboration_policy: changes.collaborationPolicy,
    auto_refresh: changes.autoRefresh,
  };
}
