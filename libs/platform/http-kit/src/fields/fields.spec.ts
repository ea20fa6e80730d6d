import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '#kernel';
import type { FieldError } from '../http.errors.js';
import { InputPipe, toDto } from '../input.pipe.js';
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
} from './index.js';

class InnerDto {
  @StringField({ about: 'A word.', maxLength: 3 })
  word!: string;
}

class SampleDto {
  @StringField({ about: 'A text.', minLength: 2, maxLength: 5, pattern: /^[a-z]+$/ })
  text!: string;

  @UuidField({ about: 'An id.', required: false })
  id?: string;

  @DateField({ about: 'A moment.', required: false })
  moment?: string;

  @EnumField(['red', 'blue'] as const, { about: 'A colour.', default: 'red' })
  colour!: 'red' | 'blue';

  @IntField({ about: 'A count.', min: 1, max: 10, default: 5 })
  count!: number;

  @NumberField({ about: 'A share.', min: 0, max: 1, required: false })
  share?: number;

  @BooleanField({ about: 'A switch.', required: false, nullable: true })
  on?: boolean | null;

  @ListField({ about: 'Words.', required: false, maxItems: 2, maxLength: 4 })
  words?: string[];

  @ListField({ about: 'Some of these.', of: ['a', 'b'], required: false })
  some?: string[];

  @ListField({ about: 'Ids.', of: 'uuid', required: false })
  ids?: string[];

  @ObjectField({ about: 'Anything.', required: false })
  open?: Record<string, unknown>;

  @NestedField(() => InnerDto, { about: 'One inside.', required: false })
  inner?: InnerDto;

  @NestedField(() => InnerDto, { about: 'Several inside.', many: true, maxItems: 2, required: false })
  inners?: InnerDto[];
}

async function errorsOf(input: object): Promise<FieldError[]> {
  try {
    await toDto(SampleDto, input);
    return [];
  } catch (error) {
    if (!isRefusal(error, 'INVALID_INPUT')) throw error;
    return error.details['field_errors'] as FieldError[];
  }
}

describe('fields', () => {
  it('take what fits, with defaults for what is left out', async () => {
    expect(await toDto(SampleDto, { text: 'abc' })).toMatchObject({ text: 'abc', colour: 'red', count: 5 });
    expect(
      await errorsOf({
        text: 'ab',
        id: '01a1edca-79a5-72bd-9059-dda534f55829',
        moment: '2026-01-31T12:00:00+01:00',
        colour: 'blue',
        count: 10,
        share: 0.5,
        on: null,
        words: ['a', 'b'],
        some: ['b'],
        ids: [],
        open: { deep: [{ er: 1 }] },
        inner: { word: 'x' },
        inners: [{ word: 'x' }],
      }),
    ).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['text', undefined, 'must be a text'],
    ['text', 1, 'must be a text'],
    ['text', 'a', 'must have at least 2 characters'],
    ['text', 'abcdef', 'must have at most 5 characters'],
    ['text', 'ABC', 'must match ^[a-z]+$'],
    ['text', null, 'must be a text'],
    ['id', 'x', 'must be a uuid'],
    ['moment', '2026-01-31', 'must be a date and time'],
    ['moment', '2026-13-31T12:00:00Z', 'must be a date and time'],
    ['colour', 'green', 'must be one of red, blue'],
    ['count', '5', 'must be a whole number'],
    ['count', 1.5, 'must be a whole number'],
    ['count', 0, 'must be at least 1'],
    ['count', 11, 'must be at most 10'],
    ['count', null, 'must be a whole number'],
    ['share', Infinity, 'must be a number'],
    ['on', 'true', 'must be true or false'],
    ['words', 'a', 'must be a list'],
    ['words', ['a', 'b', 'c'], 'must hold at most 2'],
    ['words', ['abcde'], 'must hold only texts of at most 4 characters'],
    ['words', [1], 'must hold only texts'],
    ['some', ['c'], 'must hold only a, b'],
    ['ids', ['c'], 'must hold only uuids'],
    ['open', [], 'must be an object'],
    ['open', 'x', 'must be an object'],
    ['inner', 'x', 'must be an object'],
    ['inner', [], 'must be an object'],
    ['inners', {}, 'must be a list'],
    ['inners', ['x'], 'must hold only objects'],
    ['inners', [{ word: 'a' }, { word: 'b' }, { word: 'c' }], 'must hold at most 2'],
    ['other', 1, 'is not a known field'],
  ])('refuse %s: %j', async (field, value, message) => {
    const errors = await errorsOf({ text: 'abc', [field]: value });
    expect(errors).toEqual([{ field, message: expect.stringContaining(message) }]);
  });

  it('name the place inside', async () => {
    expect(
      await errorsOf({ text: 'abc', inner: { word: 'long' }, inners: [{ word: 'x' }, { word: 'x', y: 1 }] }),
    ).toEqual([
      { field: 'inner.word', message: 'must have at most 3 characters' },
      { field: 'inners.1.y', message: 'is not a known field' },
    ]);
  });
});

describe('a query string', () => {
  const read = (value: object) => new InputPipe().transform(value, { type: 'query', metatype: SampleDto });

  it('is read in the form each field declares', async () => {
    expect(
      await read({ text: 'abc', count: '7', share: '0.25', on: 'false', words: 'a,b', some: ['a', 'b'] }),
    ).toMatchObject({
      count: 7,
      share: 0.25,
      on: false,
      words: ['a', 'b'],
      some: ['a', 'b'],
    });
  });

  it.each([{ count: '7x' }, { count: ['1', '2'] }, { share: '' }, { on: 'yes' }, { text: ['a', 'b'] }])(
    'is not guessed at: %j',
    async (query) => {
      await expect(read({ text: 'abc', ...query })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    },
  );
});

describe('the description of fields', () => {
  it('says the same as their rules', async () => {
    @Controller()
    class SampleController {
      @Post()
      take(@Body() sample: SampleDto): SampleDto {
        return sample;
      }
    }
    @Module({ controllers: [SampleController] })
    class SampleModule {}
    const app = await NestFactory.create(SampleModule, new FastifyAdapter(), { preview: true, logger: false });
    const { schemas } = SwaggerModule.createDocument(app, new DocumentBuilder().build()).components ?? {};
    expect(schemas?.['SampleDto']).toMatchObject({
      required: ['text'],
      properties: {
        text: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$', description: 'A text.' },
        id: { type: 'string', format: 'uuid' },
        moment: { type: 'string', format: 'date-time' },
        colour: { enum: ['red', 'blue'], default: 'red' },
        count: { type: 'integer', minimum: 1, maximum: 10, default: 5 },
        on: { type: 'boolean', nullable: true },
        words: { type: 'array', maxItems: 2, items: { type: 'string', maxLength: 4 } },
        some: { type: 'array', items: { enum: ['a', 'b'] } },
        open: { type: 'object', additionalProperties: true },
        inner: { allOf: [{ $ref: '#/components/schemas/InnerDto' }] },
        inners: { type: 'array', maxItems: 2, items: { $ref: '#/components/schemas/InnerDto' } },
      },
    });
    expect(schemas?.['InnerDto']).toMatchObject({ required: ['word'] });
  });
});
