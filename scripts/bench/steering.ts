/**
 * Measures the overhead of a steered clock for a program: for each read of the clock, for work that never waits, and for each jump to the
 * next deadline.
 *
 * Argument: rounds. The same programs run in the same namespaces, alternately with a steered clock and with the host's clock. Prints JSON.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { realNow } from '../../harness/determinism/real-time.ts';
import { fileView } from '../../harness/actors/process/file-view.ts';
import { openNamespace } from '../../harness/actors/process/namespace.ts';
import { processWrapper, STEERED_BY } from '../../harness/actors/process/process-wrapper.ts';
import { Steering } from '../../harness/actors/process/steering.ts';
import { median } from '../soak-self/statistics.ts';

export interface SteeringReport {
  /** Why the clock cannot be steered on this machine; if set, nothing else is measured. */
  readonly refused?: string;
  /** Nanoseconds per read, including the call from JavaScript. */
  readonly readNs: { readonly steered: number; readonly host: number };
  /** Milliseconds of real time for about a second of work that computes, reads files and starts other programs. */
  readonly workMs: { readonly steered: number; readonly host: number };
  /** Milliseconds from the decision to jump until the program sleeps again; in between the program only sets its next timer. */
  readonly jumpMs: { readonly median: number; readonly p99: number; readonly count: number };
}

const READS = 3_000_000;
const JUMPS = 2_000;
const ASLEEP_MS = 100;

const READ = `const from = process.hrtime.bigint();
for (let i = 0; i < ${READS}; i++) process.hrtime();
console.log(Number(process.hrtime.bigint() - from) / ${READS});`;
const WORK = `const { readFileSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
for (let i = 0; i < 20000; i++) readFileSync('/etc/hostname');
for (let i = 0; i < 20; i++) spawnSync('/bin/true');
let bytes = Buffer.alloc(1 << 20);
for (let i = 0; i < 200; i++) bytes = Buffer.concat([createHash('sha256').update(bytes).digest(), bytes.subarray(32)]);`;
const JUMP = `let left = ${JUMPS};
const next = () => { if (--left > 0) setTimeout(next, 60_000); };
setTimeout(next, 60_000);`;

interface Lived {
  readonly out: string;
  readonly ms: number;
  readonly jumpsMs: readonly number[];
}

const network = await openNamespace();
const wrapper = 'refused' in network ? processWrapper('own') : processWrapper('own', network);

async function live(script: string, isSteered: boolean): Promise<Lived> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stalemate-bench-')));
  for (const name of ['project', 'life', 'life/pod']) mkdirSync(join(folder, name));
  try {
    const cwd = join(folder, 'project');
    const command = [process.execPath, '-e', script];
    const env = { PATH: process.env['PATH'] ?? '' };
    const view = fileView({ command, cwd, env: {}, inherited: env }, process.env);
    if ('refused' in view) throw new Error(view.refused);
    const steered = isSteered ? { steered: { originMs: Date.now(), nowMs: 0 } } : {};
    const [program = '', ...args] = [
      ...wrapper.wrapper({ folder: join(folder, 'life'), view, ...steered }),
      ...command,
    ];
    const began = realNow();
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'] });
    let out = '';
    child.stdout?.on('data', (piece: Buffer) => (out += piece.toString('utf8')));
    const closed = once(child, 'close');
    const jumpsMs: number[] = [];
    if (isSteered) {
      const steering = new Steering(child.stdio[STEERED_BY] as Duplex, () => {});
      let nowMs = 0;
      let jumpedAt: number | undefined;
      for (;;) {
        const doing = await steering.rest(nowMs, ASLEEP_MS);
        if (doing === undefined) break;
        if (doing.asleep && jumpedAt !== undefined) jumpsMs.push(realNow() - jumpedAt);
        jumpedAt = doing.asleep ? realNow() : undefined;
        nowMs = Math.max(doing.nowMs, doing.asleep ? (doing.untilMs ?? 0) : 0);
      }
    }
    await closed;
    return { out, ms: realNow() - began, jumpsMs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function report(rounds: number): Promise<SteeringReport> {
  const reads = { steered: [] as number[], host: [] as number[] };
  const works = { steered: [] as number[], host: [] as number[] };
  const jumps: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const way of ['steered', 'host'] as const) {
      reads[way].push(Number((await live(READ, way === 'steered')).out));
      works[way].push((await live(WORK, way === 'steered')).ms);
    }
    jumps.push(...(await live(JUMP, true)).jumpsMs);
  }
  const sorted = jumps.toSorted((a, b) => a - b);
  return {
    readNs: { steered: median(reads.steered), host: median(reads.host) },
    workMs: { steered: median(works.steered), host: median(works.host) },
    jumpMs: { median: median(sorted), p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0, count: sorted.length },
  };
}

const nothing = { steered: 0, host: 0 };
process.stdout.write(
  JSON.stringify(
    wrapper.unsteered === null
      ? await report(Number(process.argv[2] ?? '3'))
      : { refused: wrapper.unsteered, readNs: nothing, workMs: nothing, jumpMs: { median: 0, p99: 0, count: 0 } },
  ),
);
