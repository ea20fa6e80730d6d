import { BooleanField, EnumField, IntField, ListField, ObjectField, StringField, UuidField } from '#platform/http-kit';

const MODALITIES = ['text', 'pdf', 'image', 'web'] as const;
const VISIBILITIES = ['private', 'team', 'public'] as const;
const COLLABORATION_POLICIES = ['read-only', 'contribute'] as const;
const STATES = ['active', 'paused', 'archived', 'all'] as const;
const NAME = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)?$/;

export class ContainersRequestDto {
  @StringField({
    about: 'Comes back in the answer; the header X-Request-ID does the same.',
    required: false,
    pattern: /^[\x21-\x7e]{1,128}$/,
    example: 'req-42',
  })
  request_id?: string;
}

export class ContainersListRequestDto extends ContainersRequestDto {
  @EnumField(STATES, { about: 'Which containers, by their state.', default: 'active' })
  state!: (typeof STATES)[number];

  @IntField({ about: 'At most this many.', min: 1, max: 100, default: 25 })
  limit!: number;

  @IntField({ about: 'Skips this many.', min: 0, default: 0 })
  offset!: number;

  @StringField({ about: 'Part of the name or the theme, in any case.', required: false, maxLength: 500 })
  search?: string;

  @BooleanField({ about: 'Adds to each container what it holds, in numbers.', default: false })
  include_stats!: boolean;
}

export class ContainersDescribeRequestDto extends ContainersRequestDto {
  @StringField({
    about: 'The uuid or the name of a container.',
    minLength: 1,
    maxLength: 200,
    example: 'expressionist-art',
  })
  container!: string;
}

class ContainersProfileDto extends ContainersRequestDto {
  @StringField({
    about: 'What it is about.',
    required: false,
    minLength: 1,
    maxLength: 500,
    example: 'German Expressionism',
  })
  theme?: string;

  @StringField({ about: 'More about it.', required: false, nullable: true, maxLength: 10_000 })
  description?: string | null;

  @StringField({ about: 'The mission it serves.', required: false, nullable: true, maxLength: 10_000 })
  mission_context?: string | null;

  @EnumField(VISIBILITIES, { about: 'Who may see it; private at first.', required: false })
  visibility?: (typeof VISIBILITIES)[number];

  @EnumField(COLLABORATION_POLICIES, { about: 'What others may do in it; read-only at first.', required: false })
  collaboration_policy?: (typeof COLLABORATION_POLICIES)[number];

  @BooleanField({ about: 'Whether its sources are fetched again by themselves; false at first.', required: false })
  auto_refresh?: boolean;
}

export class ContainersCreateRequestDto extends ContainersProfileDto {
  @StringField({
    about: 'Unique: letters, digits, underscore, hyphen; or namespace/name. Its theme, unless one is given.',
    minLength: 1,
    maxLength: 200,
    pattern: NAME,
    example: 'expressionist-art',
  })
  name!: string;

  @UuidField({ about: 'The container above it, whose policy it takes over.', required: false, nullable: true })
  parent_id?: string | null;

  @ListField({
    about: 'What it takes in; text, pdf and image unless said.',
    of: MODALITIES,
    minItems: 1,
    required: false,
  })
  modalities?: (typeof MODALITIES)[number][];

  @StringField({
    about: 'The model that embeds its contents; the installed one unless said.',
    required: false,
    maxLength: 200,
  })
  embedder?: string;

  @StringField({ about: "The model's version.", required: false, maxLength: 100 })
  embedder_version?: string;

  @IntField({ about: 'How many dimensions its vectors have.', required: false, min: 1, max: 100_000 })
  dims?: number;

  @ObjectField({
    about:
      'Known fields: retention_days, privacy, freshness_lambda, dedup_threshold, max_chunk_tokens, max_pdf_pages, allowed_domains, diagnostics_enabled. Others are kept as they are.',
    required: false,
    example: { privacy: 'exportable', freshness_lambda: 0.02 },
  })
  policy?: Record<string, unknown>;
}

export class ContainersUpdateRequestDto extends ContainersProfileDto {
  @EnumField(['active', 'paused'], {
    about: 'Pauses it, resumes it, or restores it from the archive.',
    required: false,
  })
  state?: 'active' | 'paused';

  @StringField({
    about: 'Taken for the sake of clients that send it; the path says which container.',
    required: false,
    maxLength: 200,
  })
  container?: string;
}

export class ContainersRenameRequestDto extends ContainersRequestDto {
  @StringField({ about: 'The new name.', minLength: 1, maxLength: 200, pattern: NAME, example: 'expressionism' })
  name!: string;
}

export class ContainersDeleteQueryDto {
  @EnumField(['false'], { about: 'A container is archived, not removed: only false is taken.', required: false })
  permanent?: 'false';
}
