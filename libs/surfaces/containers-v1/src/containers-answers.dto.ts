import {
  BooleanField,
  DateField,
  EnumField,
  IntField,
  ListField,
  NestedField,
  NumberField,
  ObjectField,
  StringField,
  UuidField,
} from '#platform/http-kit';

const STATES = ['active', 'paused', 'archived'] as const;
const MODALITIES = ['text', 'pdf', 'image', 'web'] as const;

export class ContainersTimingsDto {
  @IntField({ about: 'From the request to its answer, in milliseconds.', min: 0, example: 8 })
  total!: number;
}

/** What every answer carries. */
export class ContainersEnvelopeDto {
  @EnumField(['v1'], { about: 'The version of this contract.' })
  version!: 'v1';

  @StringField({ about: 'The id the request came with, or one it was given.', example: 'req-42' })
  request_id!: string;

  @BooleanField({ about: 'True when the answer is not all there is.' })
  partial!: boolean;

  @NestedField(() => ContainersTimingsDto, { about: 'How long it took.' })
  timings_ms!: ContainersTimingsDto;

  @ListField({ about: 'Codes of what is to be known about this answer.', example: [] })
  issues!: string[];

  @ObjectField({ about: 'By issue: what can be done about it.', required: false })
  remediation?: Record<string, string>;
}

/** The answer to a change. */
export class ContainersDoneDto extends ContainersEnvelopeDto {
  @BooleanField({ about: 'True.' })
  success!: boolean;

  @UuidField({ about: 'The container it was about.' })
  container_id!: string;

  @StringField({ about: 'What was done, in a sentence.' })
  message!: string;
}

export class ContainersItemStatsDto {
  @IntField({ about: 'Documents in it.', min: 0 })
  document_count!: number;

  @IntField({ about: 'Chunks in it.', min: 0 })
  chunk_count!: number;

  @NumberField({ about: 'Size of its sources, in MiB.', min: 0 })
  size_mb!: number;

  @DateField({ about: 'When something was last added.', nullable: true })
  last_ingest!: string | null;
}

export class ContainersItemDto {
  @UuidField({ about: 'Its id.' })
  id!: string;

  @StringField({ about: 'Its name.', example: 'expressionist-art' })
  name!: string;

  @StringField({ about: 'What it is about.' })
  theme!: string;

  @ListField({ about: 'What it takes in.', of: MODALITIES })
  modalities!: readonly string[];

  @EnumField(STATES, { about: 'Its state.' })
  state!: (typeof STATES)[number];

  @NestedField(() => ContainersItemStatsDto, { about: 'What it holds; only when asked for.', required: false })
  stats?: ContainersItemStatsDto;

  @DateField({ about: 'When it was created.' })
  created_at!: string;

  @DateField({ about: 'When it last changed.' })
  updated_at!: string;
}

export class ContainersListDto extends ContainersEnvelopeDto {
  @NestedField(() => ContainersItemDto, { about: 'The containers of this page, newest first.', many: true })
  containers!: ContainersItemDto[];

  @IntField({ about: 'How many there are on all pages.', min: 0 })
  total!: number;
}

export class ContainersDetailStatsDto {
  @IntField({ about: 'Documents in it.', min: 0 })
  documents!: number;

  @IntField({ about: 'Chunks in it.', min: 0 })
  chunks!: number;

  @IntField({ about: 'Chunks of text.', min: 0 })
  text_chunks!: number;

  @IntField({ about: 'Chunks that are images.', min: 0 })
  image_chunks!: number;

  @NumberField({ about: 'Size of its sources, in MiB.', min: 0 })
  size_mb!: number;

  @DateField({ about: 'When something was last added.', nullable: true })
  last_ingest!: string | null;
}

export class ContainersObservabilityDto {
  @BooleanField({ about: 'Whether searches in it explain themselves.' })
  diagnostics_enabled!: boolean;

  @NumberField({ about: 'How fast older contents lose weight, per day.', min: 0 })
  freshness_lambda!: number;
}

export class ContainersDetailDto {
  @UuidField({ about: 'Its id.' })
  id!: string;

  @UuidField({ about: 'The container above it.', nullable: true })
  parent_id!: string | null;

  @StringField({ about: 'Its name.', example: 'expressionist-art' })
  name!: string;

  @StringField({ about: 'What it is about.' })
  theme!: string;

  @StringField({ about: 'More about it.', nullable: true })
  description!: string | null;

  @ListField({ about: 'What it takes in.', of: MODALITIES })
  modalities!: readonly string[];

  @StringField({ about: 'The model that embeds its contents.' })
  embedder!: string;

  @StringField({ about: "The model's version." })
  embedder_version!: string;

  @IntField({ about: 'How many dimensions its vectors have.', min: 1 })
  dims!: number;

  @ObjectField({ about: 'Its policy, as it was given.' })
  policy!: Readonly<Record<string, unknown>>;

  @EnumField(STATES, { about: 'Its state.' })
  state!: (typeof STATES)[number];

  @StringField({ about: 'Who may see it: private, team or public.' })
  visibility!: string;

  @StringField({ about: 'What others may do in it: read-only or contribute.' })
  collaboration_policy!: string;

  @BooleanField({ about: 'Whether its sources are fetched again by themselves.' })
  auto_refresh!: boolean;

  @StringField({ about: 'The mission it serves.', nullable: true })
  mission_context!: string | null;

  @StringField({ about: 'The agent that created it, if one did.', nullable: true })
  created_by_agent!: string | null;

  @StringField({ about: 'Day and count of what it last said about itself.', example: '2026-03-01-001' })
  manifest_version!: string;

  @NestedField(() => ContainersDetailStatsDto, { about: 'What it holds.' })
  stats!: ContainersDetailStatsDto;

  @NestedField(() => ContainersObservabilityDto, { about: 'What its policy says about diagnostics and freshness.' })
  observability!: ContainersObservabilityDto;

  @DateField({ about: 'When it was created.' })
  created_at!: string;

  @DateField({ about: 'When it last changed.' })
  updated_at!: string;
}

export class ContainersDescribeDto extends ContainersEnvelopeDto {
  @NestedField(() => ContainersDetailDto, { about: 'The container.' })
  container!: ContainersDetailDto;
}

export class ContainersErrorDetailDto {
  @StringField({ about: 'What went wrong, as a word.', example: 'CONTAINER_NOT_FOUND' })
  code!: string;

  @StringField({ about: 'What went wrong, as a sentence.' })
  message!: string;

  @StringField({ about: 'What can be done about it.' })
  remediation!: string;

  @ObjectField({ about: 'For INVALID_PARAMS, field_errors lists each field with what is wrong with it.' })
  details!: Record<string, unknown>;
}

export class ContainersErrorDto extends ContainersEnvelopeDto {
  @NestedField(() => ContainersErrorDetailDto, { about: 'The failure.' })
  error!: ContainersErrorDetailDto;
}
