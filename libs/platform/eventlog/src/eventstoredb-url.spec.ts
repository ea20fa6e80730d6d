import { describe, expect, it } from '@jest/globals';
import { connectEventStoreDb } from './eventstoredb-log.js';
import { connectionString, hostsOf } from './eventstoredb-url.js';

const SECRET = 'hunter2';

function refusalFor(url: string): { message: string; hint: string; code: string } {
  try {
    connectEventStoreDb({ url });
  } catch (error) {
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(SECRET);
    return error as { message: string; hint: string; code: string };
  }
  throw new Error('The address was accepted.');
}

describe('An EventStoreDB connection string', () => {
  it.each([
    ['esdb://localhost:2113?tls=false', 'localhost:2113'],
    [
      `esdb://admin:${SECRET}@node1:2113,node2:2113,node3:2113?nodePreference=follower`,
      'node1:2113,node2:2113,node3:2113',
    ],
    [`esdb+discover://admin:${SECRET}@cluster.example.org?tlsCAFile=/etc/ca.pem`, 'cluster.example.org'],
    [`esdb://admin:${SECRET}@localhost`, 'localhost'],
  ])('is taken: %s', (url, hosts) => {
    expect(hostsOf(url)).toBe(hosts);
    expect(connectionString(url, 5_000)).toMatch(/throwOnAppendFailure=true&defaultDeadline=5000$/);
  });

  it('cannot turn failures of an append off', () => {
    const url = connectionString('esdb://localhost?throwOnAppendFailure=false', 5_000);
    expect(url.lastIndexOf('throwOnAppendFailure=true')).toBeGreaterThan(url.indexOf('throwOnAppendFailure=false'));
  });

  it('keeps its own deadline', () => {
    expect(connectionString('esdb://localhost?defaultDeadline=900', 5_000)).not.toContain('5000');
  });

  it.each([
    ['', /must look like esdb:/],
    [`http://admin:${SECRET}@localhost`, /must look like esdb:/],
    [`esdb://admin:${SECRET}@localhost?tsl=false`, /unknown option tsl/],
    [`esdb://admin:${SECRET}@localhost?tls=`, /tls has no value/],
    [`esdb://admin:${SECRET}@localhost?tls=maybe`, /should have true or false/],
    [`esdb://admin:${SECRET}@localhost:port`, /should have port number/],
    [`esdb://admin:${SECRET}@localhost?tlsVerifyCert=false`, /tlsCAFile/],
    [`esdb://admin:${SECRET}@localhost?tlsCAFile=/no/such/file.pem`, /certificate file/],
  ])('is refused with a sentence that does not repeat the password: %s', (url, message) => {
    const refusal = refusalFor(url);
    expect(refusal.code).toBe('LOG_UNAVAILABLE');
    expect(refusal.message).toMatch(message);
    expect(refusal.hint).toContain('EVENTSTORE_URL');
  });
});
