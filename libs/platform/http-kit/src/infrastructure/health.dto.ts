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
} from '../fields/index.js';

export class HealthResultDto {
  @IntField({ about: 'Milliseconds since the process started.' })
  uptimeMs!: number;
}

export class HealthMetaDto {
  @DateField({ about: 'When this was answered.' })
  ts!: string;

  @NumberField({ about: 'How long the answer took.' })
  durationMs!: number;

  @StringField({ about: 'Version of this shape.', example: '1.0.0' })
  schemaVersion!: string;

  @StringField({ about: 'Version of the program.', example: '0.1.0' })
  toolVersion!: string;
}

export class HealthDto {
  @BooleanField({ about: 'Always true: the process answers.' })
  ok!: true;

  @EnumField(['ok'] as const, { about: 'Always ok.' })
  status!: 'ok';

  @NestedField(() => HealthResultDto, { about: 'How long it has been up.' })
  result!: HealthResultDto;

  @NestedField(() => HealthMetaDto, { about: 'About this answer.' })
  _meta!: HealthMetaDto;

  @EnumField(['v1'] as const, { about: 'Version of the envelope.' })
  version!: 'v1';

  @StringField({ about: 'The id of the request.' })
  request_id!: string;

  @BooleanField({ about: 'Always false: there is nothing to leave out.' })
  partial!: false;

  @ObjectField({ about: 'Milliseconds by stage.', example: { total: 0.1 } })
  timings_ms!: { total: number };

  @ListField({ about: 'Always empty.' })
  issues!: string[];
}

export class ReadinessDto {
  @BooleanField({ about: 'True when every check passes.' })
  ok!: boolean;

  @EnumField(['ready', 'not_ready'] as const, { about: 'The same in a word.' })
  status!: 'ready' | 'not_ready';

  @ObjectField({
    about: 'Each part: whether it answers, in how many milliseconds, and what is wrong.',
    example: { database: { ok: true, ms: 1.2 } },
  })
  checks!: Record<string, CheckResult>;
}

export interface CheckResult {
  readonly ok: boolean;
  readonly ms: number;
  readonly error?: string;
}
