/** Enclosures that run real programs. If the host permits no namespaces, the tests check the warning about that. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openEnclosure, type Enclosure } from './enclosure.ts';
import { LIFE, watched } from './watched.ts';

const enclosure = await openEnclosure({ network: 'none', fileSystem: 'host' });

/** With the host's file system, an enclosure needs neither a folder nor a view. */
const NOWHERE = { folder: '', view: [] };

/** Runs a Node script in the enclosure and returns its output. */
async function inside(program: string, { wrapper }: Enclosure = enclosure): Promise<string> {
  const child = start([...wrapper(NOWHERE), process.execPath, '-e', program]);
  let said = '';
  child.stdout?.on('data', (piece: Buffer) => (said += piece.toString('utf8')));
  await once(child, 'close');
  return said.trim();
}

function start(command: readonly string[], folder = mkdtempSync(join(tmpdir(), 'stalemate-life-'))): ChildProcess {
  const [program, ...args] = watched(command, { folder, search: true });
  const env = { ...process.env, [LIFE]: folder };
  return spawn(program, args, { detached: true, stdio: ['pipe', 'pipe', 'inherit'], env });
}

const connectTo = (port: number): string =>
  `require('net').connect(${port}, '127.0.0.1').on('connect', function () { console.log('connected'); this.destroy(); }).on('error', (e) => console.log(e.code))`;

describe('an enclosure without a network', () => {
  it('is there, or it is said why not', () => {
    expect(enclosure.warning === null).toBe(enclosure.network === 'none');
    expect(enclosure.warning ?? '').toMatch(/^$|permits no network namespace \(.+\).*--network host/);
  });

  it('shows a program our socket, and none of the host', async () => {
    const host = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(host, 'listening');
    const ours = createServer((socket) => socket.end());
    ours.listen((await enclosure.listen()) ?? { port: 0, host: '127.0.0.1' });
    if (!ours.listening) await once(ours, 'listening');

    expect(await inside(connectTo(portOf(ours)))).toBe('connected');
    expect(await inside(connectTo(portOf(host)))).toBe(enclosure.network === 'none' ? 'ECONNREFUSED' : 'connected');

    host.close();
    ours.close();
  });

  it.runIf(enclosure.network === 'none' && spawnSync('ip', ['-V']).status === 0)(
    'acknowledges at once, so that no client waits for that',
    async () => {
      const said = await inside(`console.log(require('child_process').execSync('ip route show table local') + '')`);

      const routes = said.split('\n').filter((line) => line.startsWith('local 127.'));
      expect(routes).toHaveLength(2);
      for (const route of routes) expect(route).toContain('quickack 1');
    },
  );

  it('lets us reach what a program serves inside', async () => {
    const [port = 0] = await enclosure.freePorts(1);
    const program = `require('net').createServer((s) => s.end('hello')).listen(${port}, '127.0.0.1', () => console.log('ready'))`;
    const child = start([...enclosure.wrapper(NOWHERE), process.execPath, '-e', program]);
    await once(child.stdout ?? child, 'data');

    const socket = await enclosure.connect(port);
    const [said] = (await once(socket, 'data')) as [Buffer];

    expect(said.toString('utf8')).toBe('hello');
    child.stdin?.end();
  });

  it('refuses a connection that nobody listens for', async () => {
    const [port = 0] = await enclosure.freePorts(1);

    await expect(enclosure.connect(port)).rejects.toThrow('ECONNREFUSED');
  });

  it('lasts when those who are reached break off before they are handed over', async () => {
    const server = createServer((socket) => socket.resetAndDestroy());
    server.listen((await enclosure.listen()) ?? { port: 0, host: '127.0.0.1' });
    if (!server.listening) await once(server, 'listening');

    const reached = async (): Promise<void> => {
      const socket = await enclosure.connect(portOf(server));
      socket.on('error', () => {});
      socket.destroy();
    };
    // Concurrent connections are queued, and not all of them succeed.
    for (let round = 0; round < 4; round++) await Promise.allSettled(Array.from({ length: 50 }, reached));

    const [port = 0] = await enclosure.freePorts(1);
    await expect(enclosure.connect(port)).rejects.toThrow('ECONNREFUSED');
    server.close();
  });
});

/** Starts a background process in a session of its own, as daemons do, and prints its process id. */
const DAEMON = `
  const child = require('child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  child.unref();
  console.log('started');
  setInterval(() => {}, 1000);`;

describe('a life', () => {
  it.each([
    ['in a pid namespace, where there is one', enclosure.wrapper(NOWHERE)],
    ['without any namespace', []],
  ])('ends with all that it started when our end of its standard input closes, %s', async (_, wrapper) => {
    const folder = mkdtempSync(join(tmpdir(), 'stalemate-life-'));
    const child = start([...wrapper, process.execPath, '-e', DAEMON], folder);
    await once(child.stdout ?? child, 'data');
    expect(await inHost(folder)).not.toBe('');

    const ended = once(child, 'exit');
    child.stdin?.destroy();

    await ended;
    while ((await inHost(folder)) !== '' || existsSync(folder)) await delay(20);
  });
});

/** Returns the ids of the processes on this machine that belong to the incarnation with that folder. */
async function inHost(folder: string): Promise<string> {
  const script = `for p in /proc/[0-9]*; do grep -qsF "$0" "$p/environ" && echo "\${p#/proc/}"; done; true`;
  const child = spawn('/bin/sh', ['-c', script, `${LIFE}=${folder}`], { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  child.stdout.on('data', (piece: Buffer) => (said += piece.toString('utf8')));
  await once(child, 'close');
  return said.trim();
}

function portOf(server: ReturnType<typeof createServer>): number {
  return (server.address() as AddressInfo).port;
}
