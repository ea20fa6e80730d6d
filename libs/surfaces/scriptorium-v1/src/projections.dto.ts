import {
  BooleanField,
  DateField,
  EnumField,
  IntField,
  ListField,
  NestedField,
  NumberField,
  StringField,
  UuidField,
} from '#platform/http-kit';

const STATES = ['running', 'rebuilding', 'failing', 'idle'] as const;
const OUTCOMES = ['running', 'done'] as const;

export class ScriptoriumProjectionParamsDto {
  @StringField({ about: 'The name of the projection.', minLength: 1, maxLength: 100, example: 'containers' })
  name!: string;
}

export class ScriptoriumLagDto {
  @IntField({ about: 'Events the projection has not taken in yet, counted up to 10,000.' })
  events!: number;

  @NumberField({ about: 'The age of the oldest of them, in seconds.' })
  seconds!: number;
}

export class ScriptoriumRebuildProgressDto {
  @IntField({ about: 'The version being built.' })
  version!: number;

  @IntField({ about: 'Events taken in so far.' })
  processed!: number;

  @IntField({ about: 'Events there are to take in.' })
  total!: number;
}

export class ScriptoriumProjectionDto {
  @StringField({ about: 'The name of the projection.' })
  name!: string;

  @IntField({ about: 'The live version.' })
  version!: number;

  @StringField({ about: 'How far in the log it has come.' })
  position!: string;

  @NestedField(() => ScriptoriumLagDto, { about: 'How far it is behind.' })
  lag!: ScriptoriumLagDto;

  @IntField({ about: 'Events it could not take in, put aside.' })
  parked!: number;

  @EnumField(STATES, { about: 'What it is doing.' })
  state!: (typeof STATES)[number];

  @NestedField(() => ScriptoriumRebuildProgressDto, { about: 'The rebuild under way.', required: false })
  rebuild?: ScriptoriumRebuildProgressDto;

  @StringField({ about: 'Why it is failing.', required: false })
  error?: string;
}

export class ScriptoriumProjectionsDto {
  @NestedField(() => ScriptoriumProjectionDto, { about: 'All projections.', many: true })
  items!: ScriptoriumProjectionDto[];
}

export class ScriptoriumRebuildStartedDto {
  @StringField({ about: 'The name of the projection.' })
  name!: string;

  @IntField({ about: 'The version being built.' })
  version!: number;

  @EnumField(['rebuilding'] as const, { about: 'Its state now.' })
  state!: 'rebuilding';
}

export class ScriptoriumTableComparisonDto {
  @StringField({ about: 'The table compared.' })
  table!: string;

  @ListField({ about: 'The columns both builds have.' })
  columns!: readonly string[];

  @IntField({ about: 'Rows of the new build.' })
  rows!: number;

  @IntField({ about: 'Rows only the old build has.' })
  only_before!: number;

  @IntField({ about: 'Rows only the new build has.' })
  only_after!: number;

  @IntField({ about: 'Rows that differ.' })
  changed!: number;
}

export class ScriptoriumRebuildReportDto {
  @IntField({ about: 'The version that was live before.' })
  previous!: number;

  @StringField({ about: 'The position at which the builds were compared.' })
  position!: string;

  @IntField({ about: 'Events taken in.' })
  events!: number;

  @NumberField({ about: 'How long it took, in seconds.' })
  seconds!: number;

  @BooleanField({ about: 'True when no row differs.' })
  identical!: boolean;

  @NestedField(() => ScriptoriumTableComparisonDto, { about: 'Table by table.', many: true })
  tables!: ScriptoriumTableComparisonDto[];
}

export class ScriptoriumRebuildDto {
  @StringField({ about: 'The name of the projection.' })
  name!: string;

  @IntField({ about: 'The version built or being built.' })
  version!: number;

  @EnumField(OUTCOMES, { about: 'Whether it is under way or done.' })
  state!: (typeof OUTCOMES)[number];

  @NestedField(() => ScriptoriumRebuildProgressDto, { about: 'How far it is, while under way.', required: false })
  progress?: ScriptoriumRebuildProgressDto;

  @NestedField(() => ScriptoriumRebuildReportDto, { about: 'How the builds compared, once done.', required: false })
  report?: ScriptoriumRebuildReportDto;
}

export class ScriptoriumRolledBackDto {
  @StringField({ about: 'The name of the projection.' })
  name!: string;

  @IntField({ about: 'The version that is live again.' })
  version!: number;
}

export class ScriptoriumParkedEventDto {
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

  @StringField({ about: 'Why it could not be taken in.' })
  error!: string;

  @BooleanField({ about: 'True when it only waits behind a parked event of its stream.' })
  behind!: boolean;

  @IntField({ about: 'How often it was tried.' })
  attempts!: number;

  @DateField({ about: 'When it was put aside.' })
  parked_at!: string;
}

export class ScriptoriumParkedEventsDto {
  @NestedField(() => ScriptoriumParkedEventDto, { about: 'The parked events, oldest first.', many: true })
  items!: ScriptoriumParkedEventDto[];
}

export class ScriptoriumReplayRequestDto {
  @UuidField({ about: 'Only this event; omitted: all that are parked.', required: false })
  event_id?: string;
}

export class ScriptoriumReplayedDto {
  @IntField({ about: 'Events taken in now.' })
  replayed!: number;

  @IntField({ about: 'Events that failed again.' })
  still_parked!: number;
}
