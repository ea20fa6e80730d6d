import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';

describe('the log', () => {
  it('keeps secrets to itself, wherever they stand', () => {
    const lines: string[] = [];
    const sink = new Writable({
      write: (chunk: Buffer, _, done) => {
        lines.push(chunk.toString());
        done();
      },
    });
    const logger = createLogger('info', sink);
    logger.info({ token: 'hush', name: 'plain' }, 'top');
    logger.info({ headers: { authorization: 'Bearer hush', cookie: 'hush' } }, 'headers');
    logger.info({ request: { headers: { authorization: 'Bearer hush' } } }, 'request');
    logger.info({ settings: { MASTER_KEY: 'hush', DATABASE_URL: 'postgres://u:hush@db/x' } }, 'settings');
    logger.debug('too quiet');
    expect(lines).toHaveLength(4);
    expect(lines.join('')).not.toContain('hush');
    expect(lines[0]).toContain('plain');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 30,
      token: '[redacted]',
      msg: 'top',
      time: expect.any(String),
    });
  });
});
