import { createServer, type AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { portsOf } from './listening.ts';

describe.runIf(existsSync('/proc/self/net/tcp'))('the ports of a process', () => {
  it('are those that it listens on, and no longer than it does', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;

    expect(portsOf([process.pid])).toContain(port);
    await new Promise((resolve) => server.close(resolve));
    expect(portsOf([process.pid])).not.toContain(port);
  });

  it('are none of a process that is gone', () => {
    expect(portsOf([2 ** 22 + 1])).toEqual([]);
  });
});
