/** Enclosures of several processes at the same time. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { EnclosurePool } from './enclosure-pool.ts';
import type { Enclosure } from './enclosure.ts';

const pool = await EnclosurePool.open({ network: 'none', fileSystem: 'host' });

/** Starts a server in the enclosure that sends `name` to every client of the port. */
async function serves({ wrapper }: Enclosure, port: number, name: string): Promise<ChildProcess> {
  const program = `require('net').createServer((s) => s.end('${name}')).listen(${port}, '127.0.0.1', () => console.log('ready')).on('error', (e) => console.log(e.code))`;
  const [first, ...rest] = [...wrapper({ folder: '', view: [] }), process.execPath, '-e', program];
  const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout ?? child, 'data');
  return child;
}

async function heard(port: number): Promise<string> {
  const socket = await pool.connect(port);
  const [said] = (await once(socket, 'data')) as [Buffer];
  return said.toString('utf8');
}

describe('a pool of enclosures', () => {
  it('gives each life a network of its own, as pods have', async () => {
    const [one, other] = [await pool.take(), await pool.take()];
    const [port = 0] = await one.freePorts(1);
    const children = [await serves(one, port, 'one')];
    // Without network namespaces both servers would share the host's port.
    if (pool.network === 'none') children.push(await serves(other, port, 'other'));

    expect(await heard(port)).toBe('one');
    expect(pool.network === 'host' || one.enter.join() !== other.enter.join()).toBe(true);

    for (const child of children) child.kill('SIGKILL');
    one.giveBack();
    other.giveBack();
  });

  it.runIf(pool.network === 'none')('finds the port of whichever program listens there', async () => {
    const [manager, webhook] = [await pool.take('manager'), await pool.take('webhook')];
    const children = [await serves(manager, 9443, 'manager')];

    // The webhook, which is the newer process, does not listen yet.
    expect(await heard(9443)).toBe('manager');
    children.push(await serves(webhook, 9443, 'webhook'));
    expect(await heard(9443)).toBe('webhook');
    await expect(pool.connect(9444)).rejects.toThrow('ECONNREFUSED');

    for (const child of children) child.kill('SIGKILL');
    manager.giveBack();
    webhook.giveBack();
  });

  it('uses one again when the life in it is over', async () => {
    const one = await pool.take();
    one.giveBack();
    one.giveBack();

    const [next, another] = [await pool.take(), await pool.take()];

    expect(next.wrapper).toEqual(one.wrapper);
    expect(pool.network === 'host' || another.enter.join() !== one.enter.join()).toBe(true);
    next.giveBack();
    another.giveBack();
  });

  it.runIf(pool.network === 'none')('opens another one for the next life when somebody has ended one', async () => {
    const one = await pool.take();
    process.kill(Number(one.enter.at(-1)), 'SIGKILL');
    one.giveBack();
    await vi.waitUntil(() => one.isGone());

    const next = await pool.take();

    expect(next.wrapper).not.toEqual(one.wrapper);
    expect(await next.listen()).toBeDefined();
    next.giveBack();
  });
});
