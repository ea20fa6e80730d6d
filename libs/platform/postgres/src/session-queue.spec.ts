import { describe, expect, it } from '@jest/globals';
import type { Priority } from './database.js';
import { SessionQueue } from './session-queue.js';

describe('the session queue', () => {
  it('gives the session to the most urgent who waits, then to the one who came first', async () => {
    const queue = new SessionQueue();
    const order: string[] = [];
    const release = await queue.acquire('read');
    const use = async (priority: Priority, name: string) => {
      const done = await queue.acquire(priority);
      order.push(name);
      done();
    };
    const users = [
      use('maintenance', 'vacuum'),
      use('projection', 'fold'),
      use('read', 'first read'),
      use('append', 'append'),
      use('read', 'second read'),
    ];
    expect(queue.depth()).toEqual({ append: 1, read: 2, projection: 1, maintenance: 1 });
    release();
    await Promise.all(users);
    expect(order).toEqual(['append', 'first read', 'second read', 'fold', 'vacuum']);
  });

  it('is given to one user at a time, and a turn ended twice ends once', async () => {
    const queue = new SessionQueue();
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const release = await queue.acquire('read');
        most = Math.max(most, (inside += 1));
        await Promise.resolve();
        inside -= 1;
        release();
        release();
      }),
    );
    expect(most).toBe(1);
    expect(queue.depth()).toEqual({ append: 0, read: 0, projection: 0, maintenance: 0 });
  });
});
