import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';

const folder = mkdtempSync(join(tmpdir(), 'scriptorium-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('settings', () => {
  it('have defaults: embedded, on loopback', () => {
    expect(readSettings({}, folder)).toEqual({
      port: 7801,
      host: '127.0.0.1',
      publicUrl: undefined,
      dataDir: join(folder, '.data'),
      databaseUrl: undefined,
      eventStoreUrl: undefined,
      token: undefined,
      masterKey: undefined,
      logLevel: 'info',
    });
  });

  it('take what is set; an empty value counts as none', () => {
    const environment = {
      PORT: '0',
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://notes.example.org',
      DATA_DIR: '/var/lib/scriptorium',
      DATABASE_URL: 'postgres://u:p@db:5432/s',
      EVENTSTORE_URL: 'esdb://a:2113,b:2113,c:2113?tls=true',
      MCP_TOKEN: ' secret ',
      MASTER_KEY: 'ab'.repeat(32),
      LOG_LEVEL: 'WARN',
    };
    expect(readSettings(environment, folder)).toMatchObject({
      port: 0,
      host: '0.0.0.0',
      publicUrl: 'https://notes.example.org',
      dataDir: '/var/lib/scriptorium',
      databaseUrl: 'postgres://u:p@db:5432/s',
      eventStoreUrl: 'esdb://a:2113,b:2113,c:2113?tls=true',
      token: 'secret',
      masterKey: 'ab'.repeat(32),
      logLevel: 'warn',
    });
    expect(readSettings({ PORT: '', MCP_TOKEN: ' ' }, folder)).toMatchObject({ port: 7801, token: undefined });
  });

  it('find the token in docker/mcp_token.txt too', () => {
    const home = mkdtempSync(join(folder, 'home-'));
    mkdirSync(join(home, 'docker'));
    writeFileSync(join(home, 'docker/mcp_token.txt'), 'from-the-file\n');
    expect(readSettings({}, home).token).toBe('from-the-file');
    expect(readSettings({ MCP_TOKEN: 'from-outside' }, home).token).toBe('from-outside');
  });

  it.each([
    ['PORT', 'eighty', 'PORT is "eighty", which is not a port: set it to a whole number from 0 to 65535.'],
    ['PORT', '65536', 'PORT is "65536", which is not a port'],
    ['HOST', 'a b', 'HOST is "a b", which is not an address'],
    ['HOST', '0.0.0.0', 'there is no token: set MCP_TOKEN, or set HOST to 127.0.0.1.'],
    ['PUBLIC_URL', 'notes.example.org', 'PUBLIC_URL is no http or https URL'],
    ['DATABASE_URL', 'mysql://db', 'DATABASE_URL is no postgres or postgresql URL'],
    ['EVENTSTORE_URL', 'http://db', 'EVENTSTORE_URL is no esdb or esdb+discover URL'],
    ['MCP_TOKEN', 'two words', 'MCP_TOKEN contains white space'],
    ['MASTER_KEY', 'short', 'MASTER_KEY is not a key of 32 bytes'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL is "loud": set it to one of fatal,'],
  ])('refuse %s=%s in a sentence', (variable, value, sentence) => {
    expect(() => readSettings({ [variable]: value }, folder)).toThrow(sentence);
  });

  it('never repeat a password', () => {
    expect(() => readSettings({ DATABASE_URL: 'mysql://u:hunter2@db' }, folder)).toThrow(
      /^(?!.*hunter2).*DATABASE_URL/,
    );
  });
});
