/** Toxics on plain TCP connections through a real toxiproxy server: each has the documented effect. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findToxiproxy, missingToxiproxyText } from 'stalemate-apiserver/control-plane/binaries';
import { hostMark } from 'stalemate-apiserver/processes/process-identity';
import { noteProcess } from 'stalemate-apiserver/processes/scratch';
import { realNow } from '../../determinism/real-time.ts';
import type { ConnectionFault, ConnectionTrouble, Stretch } from '../../model/connection-fault.ts';
import { Disturbance } from './disturbance.ts';
import { HERE, startToxiproxy, type Between, type Toxiproxy } from './toxiproxy.ts';

const binary = findToxiproxy();
if (binary === undefined) console.log(`faults of connections are not tried: ${missingToxiproxyText()}`);

it('says which program is no toxiproxy server', async () => {
  await expect(startToxiproxy(process.execPath, HERE)).rejects.toThrow(
    `"${process.execPath}" ended with exit code 9, expected a toxiproxy server of version 2; name another one with --toxiproxy PATH`,
  );
});

it('ends servers that have lost their owner', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toxiproxy-test-'));
  vi.stubEnv('TMPDIR', folder);
  try {
    const left = join(folder, `stalemate-toxiproxy-${hostMark()}-999999999-1-abcdef`);
    mkdirSync(left);
    const orphan = spawn('sleep', ['1000']);
    const ended = once(orphan, 'exit');
    noteProcess(left, orphan.pid ?? 0);

    await expect(startToxiproxy(process.execPath, HERE)).rejects.toThrow('expected a toxiproxy server');

    expect((await ended)[1]).toBe('SIGKILL');
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  }
});

describe.runIf(binary !== undefined)('connections behind toxiproxy', () => {
  let toxiproxy: Toxiproxy;
  let upstream = '';
  // Answers a number with that many bytes, and any other text by closing the connection.
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (asked) => {
      const count = Number(asked.toString());
      if (Number.isNaN(count)) socket.end();
      else socket.write('x'.repeat(count));
    });
  });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    upstream = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    toxiproxy = await startToxiproxy(binary ?? '', HERE);
  }, 30_000);

  afterAll(async () => {
    await toxiproxy.stop();
    server.close();
  });

  it('starts again on another port if its own is taken meanwhile', async () => {
    const { port } = server.address() as AddressInfo;
    const ports = [port];
    const second = await startToxiproxy(binary ?? '', {
      ...HERE,
      freePorts: async (count) => (ports.length > 0 ? ports.splice(0, count) : await HERE.freePorts(count)),
    });
    expect(second.version).toBe(toxiproxy.version);
    await second.stop();
  });

  /** Calls `work` with a fresh proxy and one connection through it. */
  async function withClient<T>(work: (client: Client, between: Between) => Promise<T>): Promise<T> {
    const between = await toxiproxy.between(upstream);
    const client = new Client(between.address);
    try {
      await client.ask(1);
      return await work(client, between);
    } finally {
      client.socket.destroy();
      await between.remove();
    }
  }

  it('reports its version', () => {
    expect(toxiproxy.version).toMatch(/^2\./);
  });

  it('passes everything on as long as nothing is asked of it', () =>
    withClient(async (client) => {
      expect(await client.ask(100_000)).toBe(100_000);
    }));

  it.each<[ConnectionTrouble, number]>([
    [{ do: 'latency', latencyMs: 120, jitterMs: 0 }, 10],
    [{ do: 'bandwidth', kilobytesPerSecond: 16 }, 3_000],
    [{ do: 'slice', bytes: 10, pauseMicros: 1_000 }, 2_000],
  ])('slows answers down: %o', (trouble, bytes) =>
    withClient(async (client, between) => {
      await between.disturb(trouble);
      const began = realNow();

      expect(await client.ask(bytes)).toBe(bytes);

      expect(realNow() - began).toBeGreaterThan(100);
      await between.restore();
      expect(await client.ask(50)).toBe(50);
    }),
  );

  it('swallows what passes in a black hole, and closes connections when it ends', () =>
    withClient(async (client, between) => {
      await between.disturb({ do: 'black-hole' });
      client.socket.write('7');
      const late = new Client(between.address);
      await once(late.socket, 'connect');

      await between.restore();

      expect(await client.ended).toBe('closed');
      expect(client.received).toBe(1);
      late.socket.destroy();
      expect(await new Client(between.address).ask(5)).toBe(5);
    }));

  it('resets old connections and new ones at the next answer', () =>
    withClient(async (client, between) => {
      await between.disturb({ do: 'reset' });
      client.socket.write('7');
      expect(await client.ended).toBeDefined();

      const fresh = new Client(between.address);
      fresh.socket.write('7');
      expect(await fresh.ended).toBe('ECONNRESET');
    }));

  it('ends connections after so many bytes', () =>
    withClient(async (client, between) => {
      await between.disturb({ do: 'limit-data', bytes: 40 });
      client.socket.write('100');

      await client.ended;

      expect(client.received).toBe(1 + 40);
    }));

  it('cuts connections and refuses new ones while it is down', () =>
    withClient(async (client, between) => {
      await between.disturb({ do: 'down' });
      await client.ended;
      expect(await new Client(between.address).ended).toBe('ECONNREFUSED');

      await between.restore();

      expect(await new Client(between.address).ask(3)).toBe(3);
    }));

  it('lets closed connections look open for a while', () =>
    withClient(async (client, between) => {
      await between.disturb({ do: 'slow-close', delayMs: 150 });
      const began = realNow();
      client.socket.write('bye');

      await client.ended;

      expect(realNow() - began).toBeGreaterThan(140);
    }));

  describe('a disturbance', () => {
    const fault = (more: Partial<Stretch> = {}): ConnectionFault => ({
      do: 'down',
      link: 'target',
      forMs: 1_000,
      ...more,
    });
    const ends: string[] = [];
    const ended = (at: string): void => void ends.push(at);

    async function refuses(address: string): Promise<boolean> {
      const client = new Client(address);
      client.socket.once('connect', () => client.socket.end());
      return (await client.ended) === 'ECONNREFUSED';
    }

    it.each([
      ['at a label', { until: 'b' }, 'b'],
      ['after so many items', { items: 2 }, 'b'],
      ['after so much time', { forMs: 10 }, 'at'],
    ])('ends %s', (_, more, end) =>
      withClient(async (__, between) => {
        ends.length = 0;
        const disturbance = new Disturbance(['target']);
        await disturbance.add('target', between);
        expect(await disturbance.begin(fault(more), 'at', 0)).toBe(true);
        disturbance.happened('a', ended);
        expect(await refuses(between.address)).toBe(true);

        disturbance.happened('b', ended);
        expect(disturbance.expire(100, ended)).toBe(end === 'at');
        expect(disturbance.isOver(100)).toBe(false);

        await disturbance.end();
        expect(ends).toEqual([end]);
        expect(disturbance.isBusy).toBe(false);
        expect(await refuses(between.address)).toBe(false);
      }),
    );

    it('is in force for connections that come later, and gone when the run ends', () =>
      withClient(async (_, between) => {
        const disturbance = new Disturbance(['target']);
        await disturbance.begin(fault(), 'at', 0);
        expect(disturbance.untilMs).toBe(1_000);
        await disturbance.add('target', between);
        expect(await refuses(between.address)).toBe(true);

        await disturbance.end();

        expect(disturbance.untilMs).toBe(Number.NEGATIVE_INFINITY);
        expect(await refuses(between.address)).toBe(false);
      }));

    it('does nothing where there is no such link', async () => {
      expect(await new Disturbance(['target']).begin(fault({ link: 'cluster' }), 'at', 0)).toBe(false);
    });
  });
});

/** A client that counts the bytes that it receives. */
class Client {
  readonly socket: Socket;
  received = 0;
  /** Resolves with the way in which the connection ended. */
  readonly ended: Promise<string>;
  #reported: () => void = () => {};

  constructor(address: string) {
    const [host = '', port = ''] = address.split(':');
    this.socket = connect(Number(port), host);
    this.ended = new Promise((resolve) => {
      this.socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      this.socket.on('close', () => resolve('closed'));
    });
    this.socket.on('data', (piece) => {
      this.received += piece.length;
      this.#reported();
    });
  }

  /** Requests this many bytes; resolves with the number received once they have arrived. */
  ask(bytes: number): Promise<number> {
    const before = this.received;
    return new Promise((resolve) => {
      this.#reported = () => {
        if (this.received - before >= bytes) resolve(this.received - before);
      };
      this.socket.write(String(bytes));
    });
  }
}
