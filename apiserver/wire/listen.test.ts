import { EventEmitter } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { listenAnywhere } from './listen.ts';

/** A server whose first `times` attempts to listen fail with EADDRINUSE. */
class Refused extends EventEmitter {
  asked = 0;
  readonly #times: number;

  constructor(times: number) {
    super();
    this.#times = times;
  }

  listen(): void {
    const isRefused = ++this.asked <= this.#times;
    const error = Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' });
    queueMicrotask(() => (isRefused ? this.emit('error', error) : this.emit('listening')));
  }
}

it('listens on a real port', async () => {
  const server = createServer();
  await listenAnywhere(server, '127.0.0.1');
  expect(server.listening).toBe(true);
  server.close();
});

it('retries when another process took the same port, but not for ever', async () => {
  const unlucky = new Refused(2);
  await listenAnywhere(unlucky, '127.0.0.1');
  expect(unlucky.asked).toBe(3);

  await expect(listenAnywhere(new Refused(100), '127.0.0.1')).rejects.toThrow('EADDRINUSE');
});
