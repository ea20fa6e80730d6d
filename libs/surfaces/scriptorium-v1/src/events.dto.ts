import {
  DateField,
  EnumField,
  IntField,
  ListField,
  NestedField,
  ObjectField,
  StringField,
  UuidField,
} from '#platform/http-kit';

const DIRECTIONS = ['forward', 'backward'] as const;

export class ScriptoriumEventsRequestDto {
  @StringField({ about: 'next_cursor of the page before; omitted: the first page.', required: false, maxLength: 64 })
  after?: string;

  @ListField({
    about: 'Only events of these types, separated by commas.',
    required: false,
    minItems: 1,
    maxItems: 50,
    maxLength: 200,
  })
  types?: string[];

  @StringField({ about: 'Only this stream.', required: false, minLength: 1, maxLength: 200 })
  stream?: string;

  @IntField({ about: 'At most this many.', default: 50, min: 1, max: 500 })
  limit!: number;

  @EnumField(DIRECTIONS, { about: 'Oldest first or newest first.', default: 'forward' })
  direction!: (typeof DIRECTIONS)[number];
}

export class ScriptoriumEventDto {
  @UuidField({ about: 'The id of the event.' })
  id!: string;

  @StringField({ about: 'Its stream.' })
  stream!: string;

  @IntField({ about: 'Its place in the stream, from 0.' })
  revision!: number;

  @StringField({ about: 'Its place in the log.' })
  position!: string;

  @StringField({ about: 'Its type.' })
  type!: string;

  @DateField({ about: 'When the log took it.' })
  at!: string;

  @ObjectField({ about: 'The facts. A field that was erased reads {"erased": true}.' })
  data!: Record<string, unknown>;

  @ObjectField({ about: 'Who wrote it, in which execution, under which rules.' })
  metadata!: Record<string, unknown>;
}

export class ScriptoriumEventsDto {
  @NestedField(() => ScriptoriumEventDto, { about: 'The events.', many: true })
  items!: ScriptoriumEventDto[];

  @StringField({ about: 'Where the next page begins; null on the last.', nullable: true })
  next_cursor!: string | null;
}
