/** Steered clocks of real programs. Each program waits for hours: a test can only finish if the wait is skipped. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileView } from './file-view.ts';
import { processWrapper, STEERED_BY, type Steered } from './process-wrapper.ts';
import { openNamespace } from './namespace.ts';
import { allowedProcessors } from './processors.ts';
import { Steering } from './steering.ts';

const network = await openNamespace();
const wrapper = 'refused' in network ? processWrapper('own') : processWrapper('own', network);
const canSteer = wrapper.unsteered === null;
const hasUnshare = spawnSync('unshare', ['-Urm', 'true']).status === 0;

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'stalemate-steering-')));
  for (const name of ['project', 'life', 'life/pod']) mkdirSync(join(folder, name));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Lived {
  readonly out: string;
  readonly code: number | null;
  /** How far the clock was set ahead, in seconds. */
  readonly seconds: number;
  readonly lost: readonly string[];
}

/** Runs a program until it ends, and skips its waits. */
async function live(command: readonly string[], how: Partial<Steered> = {}): Promise<Lived> {
  const cwd = join(folder, 'project');
  const env = { PATH: process.env['PATH'] ?? '' };
  const view = fileView({ command, cwd, env: {}, inherited: env }, process.env);
  if ('refused' in view) throw new Error(view.refused);
  const [program = '', ...args] = [
    ...wrapper.wrapper({ folder: join(folder, 'life'), view, steered: { originMs: Date.now(), nowMs: 0, ...how } }),
    ...command,
  ];
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'] });
  const lost: string[] = [];
  const steering = new Steering(child.stdio[STEERED_BY] as Duplex, (what) => lost.push(what));
  let out = '';
  child.stdout?.on('data', (piece: Buffer) => (out += piece.toString('utf8')));
  const closed = once(child, 'close');
  let nowMs = how.nowMs ?? 0;
  for (let doing = await steering.rest(nowMs, 100); doing !== undefined; doing = await steering.rest(nowMs, 100)) {
    nowMs = Math.max(doing.nowMs, doing.untilMs ?? 0);
  }
  await closed;
  return { out: out.trim(), code: child.exitCode, seconds: Math.round((nowMs - (how.nowMs ?? 0)) / 1000), lost };
}

const node = (script: string): readonly string[] => [process.execPath, '-e', script];

describe.runIf(canSteer)('a program with a steered clock', () => {
  it('waits for an hour at once, and its clocks agree that an hour has passed', async () => {
    const script = `const [a, b] = [performance.now(), Date.now()];
      setTimeout(() => console.log(Math.round((performance.now() - a) / 60000), Math.round((Date.now() - b) / 60000)), 3_600_000)`;

    expect(await live(node(script))).toMatchObject({ out: '60 60', code: 0, lost: [] });
  });

  it('wakes up in the order of its deadlines', async () => {
    const script = `for (const s of [300, 100, 200]) setTimeout(() => console.log(s), s * 1000);`;

    expect((await live(node(script))).out).toBe('100\n200\n300');
  });

  it.each([
    ['another program', 'sleep 3600; exit 3', 3],
    ['programs side by side', 'sleep 7200 & sleep 3600; wait; exit 4', 4],
    ['a program in the background of another', '(sleep 1800; sleep 1800) & wait $!; exit 5', 5],
  ])('is followed into %s', async (_, script, code) => {
    const lived = await live(['/bin/sh', '-c', script]);

    expect(lived.code).toBe(code);
    expect(lived.seconds).toBeGreaterThanOrEqual(3600);
  });

  it('hands on how it ends', async () => {
    expect((await live(['/bin/sh', '-c', 'sleep 60; kill -9 $$'])).code).toBe(137);
  });

  it('goes on from where the clock of a life before it stood', async () => {
    const { out } = await live(node('console.log(Date.now())'), { nowMs: 3_600_000 });

    expect(Number(out) - Date.now()).toBeGreaterThan(3_500_000);
  });

  it('has a clock that stands while it sleeps and nobody sets it, and passes while it computes', async () => {
    const script = `const [from, cpu] = [performance.now(), process.cpuUsage()];
      require('child_process').spawnSync('/bin/sh', ['-c', 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done']);
      for (let i = 0; i < 3e7; i++);
      const { user, system } = process.cpuUsage(cpu);
      console.log((performance.now() - from) * 1000 >= user + system);`;

    expect((await live(node(script))).out).toBe('true');
  });

  it('is looked at less than a thousand times a second while it computes for long', async () => {
    const script = `import re, time
def looks():
    [switches] = re.findall(r'^voluntary_ctxt_switches:\\t(\\d+)', open('/proc/1/status').read(), re.M)
    return int(switches), float(open('/proc/uptime').read().split()[0])
before, begun = looks()
until = time.process_time() + 0.5
while time.process_time() < until: pass
after, ended = looks()
print((after - before) / (ended - begun))`;
    const { out } = await live(['python3', '-c', script]);

    expect(Number(out)).toBeGreaterThan(0);
    expect(Number(out)).toBeLessThan(1000);
  });

  it('gets the same random numbers from the same seed', async () => {
    const command = ['python3', '-c', 'import os; print(os.urandom(8).hex(), hash("a"))'];
    const [first, again, other] = [
      await live(command, { seed: 7 }),
      await live(command, { seed: 7 }),
      await live(command, { seed: 8 }),
    ];

    expect(again.out).toBe(first.out);
    expect(other.out).not.toBe(first.out);
  });

  it('uses the processor that it is given', async () => {
    const [processor = 0] = allowedProcessors().slice(-1);

    expect((await live(['/bin/sh', '-c', 'grep Cpus_allowed_list /proc/self/status'], { processor })).out).toBe(
      `Cpus_allowed_list:\t${processor}`,
    );
  });

  it.each([
    ['poll', 'select.poll().poll(60_000)'],
    ['select', 'select.select([], [], [], 60)'],
    ['epoll', 'select.epoll().poll(60)'],
    ['sleep', 'time.sleep(60)'],
    ['a lock', 'threading.Lock().acquire() and (lock := threading.Lock()).acquire() and lock.acquire(timeout=60)'],
    ['a signal', 'signal.sigtimedwait([signal.SIGUSR1], 60)'],
  ])('waits by %s, and gets what a timeout gives', async (_, wait) => {
    const script = `import select, signal, threading, time
then = time.monotonic()
result = ${wait}
print(result, round(time.monotonic() - then))`;
    const { out, code } = await live(['python3', '-c', script]);

    expect(code).toBe(0);
    expect(out).toMatch(/^(?:\[\]|None|False|\(\[\], \[\], \[\]\)) 60$/);
  });

  it('goes on waiting for as long as before when a signal has interrupted it', async () => {
    const script = `import signal, threading, time
signal.signal(signal.SIGUSR1, lambda *_: None)
main = threading.get_ident()
threading.Thread(target=lambda: (time.sleep(40), signal.pthread_kill(main, signal.SIGUSR1))).start()
then = time.monotonic()
time.sleep(60)
print(round(time.monotonic() - then))`;

    expect((await live(['python3', '-c', script])).out).toBe('60');
  });

  it('goes on waiting for a lock for as long as before when it was made to stand still', async () => {
    const script = `import os, subprocess, threading, time
subprocess.Popen(['sh', '-c', f'sleep 20; kill -STOP {os.getpid()}; sleep 20; kill -CONT {os.getpid()}'])
lock = threading.Lock()
lock.acquire()
then = time.monotonic()
print(lock.acquire(timeout=60), round(time.monotonic() - then))`;

    expect((await live(['python3', '-c', script])).out).toBe('False 60');
  });

  it('gets a lock that somebody gives up before its time has come, and waits as long as ever for the next', async () => {
    const script = `import threading, time
first, second = threading.Lock(), threading.Lock()
first.acquire(), second.acquire()
threading.Thread(target=lambda: (time.sleep(10), first.release())).start()
then = time.monotonic()
print(first.acquire(timeout=60), round(time.monotonic() - then))
print(second.acquire(timeout=60), round(time.monotonic() - then))
threading.Thread(target=lambda: (time.sleep(10), second.release())).start()
print(second.acquire(timeout=3600), round(time.monotonic() - then))`;

    expect((await live(['python3', '-c', script])).out).toBe('True 10\nFalse 70\nTrue 80');
  });

  it('sleeps for an hour at once after naps that were asked for at the same place', async () => {
    const script = `import ctypes, time
class Span(ctypes.Structure): _fields_ = [('s', ctypes.c_long), ('ns', ctypes.c_long)]
span, nanosleep, then = Span(), 35, time.monotonic()
for span.s, span.ns in [(0, 5_000_000)] * 30 + [(3600, 0)]: ctypes.CDLL(None).syscall(nanosleep, ctypes.byref(span), None)
print(time.monotonic() - then > 3599)`;

    expect((await live(['python3', '-c', script])).out).toBe('True');
  });

  it('does not wait for a moment that has passed on its clock, however far ahead of the host it is', async () => {
    const script = `import threading, time
lock = threading.Lock()
lock.acquire()
time.sleep(3600)
print([lock.acquire(timeout=0.0000001) for _ in range(20)].count(False))`;

    expect((await live(['python3', '-c', script])).out).toBe('20');
  });

  it('forgets what it waited for when a signal has made it do something else', async () => {
    const script = `import os, select, signal, threading, time
class Woken(Exception): pass
def wake(*_): raise Woken
signal.signal(signal.SIGUSR1, wake)
main = threading.get_ident()
then = time.monotonic()
other = threading.Thread(target=lambda: (time.sleep(10), signal.pthread_kill(main, signal.SIGUSR1), time.sleep(100)))
other.start()
try: select.poll().poll(20_000)
except Woken: pass
other.join()
print(round(time.monotonic() - then))`;

    expect((await live(['python3', '-c', script])).out).toBe('110');
  });

  it('keeps its clock when signals come while it starts others', async () => {
    const script = `import os, signal, subprocess
codes = []
for _ in range(40):
    child = subprocess.Popen(['/bin/sh', '-c', 'exec sleep 60'])
    for _ in range(50): os.kill(0, signal.SIGWINCH)
    codes.append(child.wait())
print(sum(codes))`;

    expect(await live(['setsid', '--wait', 'python3', '-c', script])).toMatchObject({ out: '0', code: 0, lost: [] });
  });

  it('rests with bytes in a socket that it does not read', async () => {
    const script = `import socket, time
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
held, _ = server.accept()
client.sendall(b'x')
for _ in range(10): time.sleep(60)
print('done')`;

    expect((await live(['python3', '-c', script])).out).toBe('done');
  });

  it('is steered in all of its threads', async () => {
    const script = `const worker = new (require('worker_threads').Worker)("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000_000); require('worker_threads').parentPort.postMessage('woke')", { eval: true });
      worker.on('message', console.log)`;

    const { out, seconds } = await live(node(script));

    expect(out).toBe('woke');
    // The rest of the time passed for real, while other processes used the processors.
    expect(seconds).toBeGreaterThan(4_900);
    expect(seconds).toBeLessThanOrEqual(5_000);
  });
});

describe.runIf(canSteer)('a program that cannot be steered', () => {
  it('is said to be, by the name of how it waits', async () => {
    // `timeout` of coreutils arms a kernel timer.
    expect((await live(['timeout', '60', 'true'])).lost).toEqual(['timer_settime']);
  });

  it.runIf(hasUnshare)('is not started where its processes have other numbers in /proc', () => {
    const [launcher = ''] = wrapper.wrapper({ folder, view: [] });
    // As in a container: a covered file in /proc prevents mounting a new /proc.
    const script = 'mount --bind /dev/null /proc/cpuinfo && exec "$0" --user 0 0 --steer 1 -- true';
    const { status, stderr } = spawnSync('unshare', ['-Urm', 'sh', '-c', script, launcher], { encoding: 'utf8' });

    expect(stderr).toBe('launch: no clock is steered where the host permits no new /proc\n');
    expect(status).toBe(125);
  });
});
