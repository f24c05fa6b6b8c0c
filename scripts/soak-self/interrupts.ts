/**
 * Interrupts campaigns that find something, at random times and one to three times in a row, and checks what is left.
 *
 * After each: every printed finding is on disk and can be decoded, and so are violations that were being reproduced; no process and no
 * temporary folder is left; the exit code is documented in the README. Mostly modules, and Go programs if they are built (`node
 * scripts/controllers.ts build go`). Needs /proc and util-linux `script`.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { fileURLToPath } from 'node:url';
import type { Random } from '../../harness/determinism/random.ts';
import { decodeReplayable } from '../../harness/schedule/codec/record.ts';
import { type ControllerUnderTest, nameOf, optionsFor } from '../catalogue.ts';
import { leftRunning } from '../processes-of.ts';
import { AIMS, interruptedRun, WAYS, type InterruptedRun, type InterruptPlan, type Way } from './interrupted-run.ts';
import { median, quantile } from './statistics.ts';

const BIN = fileURLToPath(new URL('../../harness/cli/bin.mjs', import.meta.url));

const COMPILED = join(tmpdir(), 'node-compile-cache');

/** The share of campaigns on programs, which take much longer. */
const PROGRAMS = 0.1;
/** The share of runs through npm, which takes a second to start. */
const BY_NPM = 0.2;
/** Long enough for a finding on a busy machine; almost no campaign reaches the end. */
const BUDGET_MS = { module: 30_000, program: 60_000 } as const;
/**
 * One in six first interrupts comes within EARLY_MS after the start, the others within SOON_MS after a violation or a finding is on disk:
 * while it is being reproduced, or while the next one is.
 */
const SINCE = ['start', 'violation', 'violation', 'finding', 'finding', 'finding'] as const;
const EARLY_MS = { module: 5_000, program: 20_000 } as const;
const SOON_MS = { module: 1_500, program: 10_000 } as const;
/** The maximum time to wait for a violation or a finding, on a busy machine. */
const WAIT_MS = { module: 28_000, program: 55_000 } as const;
const NEXT_MS = 1_200;
const GONE_MS = 20_000;
/** After a hang-up, the end of a program may take as long as the work on its current finding. */
const GONE_UNSEEN_MS = 120_000;
/** After every 10th interrupted run, the findings on disk are replayed as well. */
const REPLAY_EVERY = 10;

export interface InterruptOptions {
  readonly times: number;
  /** Wrong variants that are modules. */
  readonly modules: readonly ControllerUnderTest[];
  readonly programs: readonly ControllerUnderTest[];
  readonly random: Random;
  readonly tell: (line: string) => void;
}

export interface Interrupts {
  /** The number of interrupted runs, and of interrupts. */
  readonly runs: number;
  readonly sent: number;
  /** The number of runs with a printed finding, and of those with a finding or a violation on disk. */
  readonly withFindings: number;
  readonly withAny: number;
  /** Printed findings, and violations on disk that were not reproduced yet. */
  readonly findings: number;
  readonly unproved: number;
  readonly replayed: number;
  /** Time from the last interrupt to the end in ms, by number of interrupts: the median and the maximum. */
  readonly endedMs: { readonly [sent: string]: { readonly median: number; readonly max: number } };
  readonly complaints: readonly string[];
}

/** Returns what this machine lacks, or undefined. */
export function lacksForInterrupts(): string | undefined {
  if (!existsSync('/proc/self/environ')) return 'there is no /proc';
  if (spawnSync('script', ['--version']).status !== 0)
    return 'there is no "script" of util-linux, which opens a terminal';
  return spawnSync('npm', ['--version']).status === 0 ? undefined : 'there is no npm';
}

export async function interruptCampaigns({
  times,
  modules,
  programs,
  random,
  tell,
}: InterruptOptions): Promise<Interrupts> {
  const complaints: string[] = [];
  const ends = new Map<number, number[]>();
  const sum = { sent: 0, withFindings: 0, withAny: 0, findings: 0, unproved: 0, replayed: 0 };
  const drawn = { module: [...modules], program: [...programs] };
  for (let n = 1; n <= times; n++) {
    const target = drawn.program.length > 0 && random.float() < PROGRAMS ? 'program' : 'module';
    const entry = random.pick(drawn[target]);
    const plan = drawPlan(random, target);
    const place = mkdtempSync(join(tmpdir(), 'stalemate-interrupts-'));
    try {
      const campaign = new Campaign(place, entry, target, random.int(1_000_000));
      const run = await interruptedRun(plan, campaign);
      const found = await campaign.look(run, plan);
      if (n % REPLAY_EVERY === 0) sum.replayed += campaign.replay();
      const what = `${n}: ${nameOf(entry)}, ${planText(plan)}`;
      for (const complaint of campaign.complaints) complaints.push(`${what}: ${complaint}`);
      const kept = `${found.printed} printed, ${found.unproved} unproved`;
      tell(`${what}: ${run.sent.length} sent, ${kept}, ended by ${endText(run)} after ${Math.round(run.endedMs)} ms`);
      for (const complaint of campaign.complaints) tell(`    ${complaint}`);
      // A variant that is not found in time is not used again: nothing could be lost in it.
      if (!run.cameUp && drawn[target].length > 1) drawn[target].splice(drawn[target].indexOf(entry), 1);
      sum.sent += run.sent.length;
      sum.withFindings += found.printed > 0 ? 1 : 0;
      sum.withAny += found.printed + found.unproved > 0 ? 1 : 0;
      sum.findings += found.printed;
      sum.unproved += found.unproved;
      ends.set(run.sent.length, [...(ends.get(run.sent.length) ?? []), run.endedMs]);
    } finally {
      rmSync(place, { recursive: true, force: true, maxRetries: 3 });
    }
  }
  ends.delete(0);
  const endedMs = Object.fromEntries(
    [...ends]
      .toSorted(([a], [b]) => a - b)
      .map(([sent, all]) => [sent, { median: median(all), max: quantile(all, 1) }]),
  );
  return { runs: times, ...sum, endedMs, complaints };
}

function drawPlan(random: Random, target: keyof typeof BUDGET_MS): InterruptPlan {
  const aim = random.pick(AIMS);
  const isByNpm = random.float() < BY_NPM;
  const way = random.pick(WAYS.filter((one) => (one === 'npm' || one === 'npx') === isByNpm));
  const since = random.pick(SINCE);
  const count = 1 + random.int(3);
  const withinMs = since === 'start' ? EARLY_MS[target] : SOON_MS[target];
  const interrupts = Array.from({ length: count }, (_, at) => ({
    send: drawInterrupt(random, aim, isByNpm, at === count - 1),
    // After a violation, short delays are more likely.
    afterMs: Math.round(
      random.float() ** (at === 0 && since === 'violation' ? 3 : 1) * (at === 0 ? withinMs : NEXT_MS),
    ),
  }));
  return { way, aim, since, waitMs: WAIT_MS[target], interrupts };
}

function drawInterrupt(random: Random, aim: InterruptPlan['aim'], isByNpm: boolean, isLast: boolean) {
  if (aim === 'terminal') return isLast && random.int(3) === 0 ? ('hang-up' as const) : ('ctrl-c' as const);
  // npm alone handles SIGINT and SIGHUP without forwarding them, so only SIGTERM is sent to it.
  const signals = aim === 'process' && isByNpm ? (['SIGTERM'] as const) : (['SIGINT', 'SIGTERM', 'SIGHUP'] as const);
  return random.pick<NodeJS.Signals>(signals);
}

function planText({ way, aim, since, interrupts }: InterruptPlan): string {
  return `${way}, ${aim}, since ${since} ${interrupts.map(({ send, afterMs }) => `${send} +${afterMs} ms`).join(', ')}`;
}

function endText({ code, signal }: InterruptedRun): string {
  return code === null ? (signal ?? 'nothing') : `code ${code}`;
}

/** A campaign in a project of its own, and the checks of what it leaves there. */
class Campaign {
  readonly complaints: string[] = [];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly command: Readonly<Record<Way, string>>;
  readonly #tmp: string;

  constructor(place: string, entry: ControllerUnderTest, target: keyof typeof BUDGET_MS, seed: number) {
    this.cwd = join(place, 'work');
    this.#tmp = join(place, 'tmp');
    const bin = join(this.cwd, 'node_modules', '.bin');
    for (const folder of [bin, this.#tmp, join(place, 'home')]) mkdirSync(folder, { recursive: true });
    symlinkSync(BIN, join(bin, 'stalemate'));
    const options = optionsFor(entry, { budget: `${BUDGET_MS[target]}ms`, seed });
    writeFileSync(join(this.cwd, 'stalemate.config.json'), JSON.stringify(options));
    const run = 'stalemate run --confirm none';
    writeFileSync(join(this.cwd, 'package.json'), JSON.stringify({ name: 'project', scripts: { chaos: run } }));
    const env = {
      ...process.env,
      ...{ HOME: join(place, 'home'), TMPDIR: this.#tmp, XDG_STATE_HOME: join(place, 'state'), SHELL: '/bin/sh' },
      // All runs share one compile cache, as those of a user do.
      ...{ NO_COLOR: '1', npm_config_update_notifier: 'false', NODE_COMPILE_CACHE: COMPILED },
      PATH: [dirname(process.execPath), bin, process.env['PATH']].join(delimiter),
    };
    this.env = env;
    const direct = `"${process.execPath}" node_modules/.bin/${run}`;
    this.command = {
      node: direct,
      'hand-over': `env STALEMATE_NODE_TOO_OLD=1 ${direct}`,
      npm: 'npm run --silent chaos',
      npx: `npx --no ${run}`,
    };
  }

  readonly has = (what: 'violation' | 'finding'): boolean =>
    this.#names('failures').length + (what === 'violation' ? this.#names('unproved').length : 0) > 0;

  #names(folder: string): readonly string[] {
    const path = join(this.cwd, '.stalemate', folder);
    return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.json')) : [];
  }

  #stored(folder: string): readonly string[] {
    return this.#names(folder).flatMap((name) => {
      const path = join('.stalemate', folder, name);
      try {
        decodeReplayable(readFileSync(join(this.cwd, path), 'utf8'), path);
        return [path];
      } catch (error) {
        this.complaints.push(`${path} cannot be decoded: ${String(error)}`);
        return [];
      }
    });
  }

  /** Checks what the run left behind, and returns the numbers of printed findings and of unproved violations. */
  async look(
    run: InterruptedRun,
    plan: InterruptPlan,
  ): Promise<{ readonly printed: number; readonly unproved: number }> {
    if (run.hung) this.complaints.push('it did not exit');
    const goneMs = run.sent.includes('hang-up') ? GONE_UNSEEN_MS : GONE_MS;
    for (const one of await leftRunning(this.#tmp, goneMs)) this.complaints.push(`${one} still runs`);
    for (const name of readdirSync(this.#tmp))
      if (name.startsWith('stalemate-')) this.complaints.push(`${name} is left in the temporary folder`);
    const failures = this.#stored('failures');
    const unproved = this.#stored('unproved');
    const text = stripVTControlCharacters(run.text);
    const printed = new Set([...text.matchAll(/\.stalemate\/[a-z]+\/[\w.-]+\.(?:json|html)/g)].map(([path]) => path));
    for (const path of printed)
      if (!existsSync(join(this.cwd, path))) this.complaints.push(`${path} was printed but does not exist`);
    this.#partial();
    if (run.hadViolation) this.#keptWhatWasSeen([...failures, ...unproved], text);
    this.#exit(run, plan, failures.length > 0);
    if (this.complaints.length > 0) this.complaints.push(`it printed: ${text.slice(-1500)}`);
    const replays = [...printed].filter((path) => path.startsWith('.stalemate/failures/'));
    return { printed: replays.length, unproved: unproved.length };
  }

  /** A violation that was on disk before the first interrupt must be a finding now, or still be on disk, or the output must say why not. */
  #keptWhatWasSeen(kept: readonly string[], text: string): void {
    if (kept.length === 0 && !/seen, and in none of \d+ runs/.test(text))
      this.complaints.push('a violation was on disk before the interrupt, and is lost');
  }

  #partial(): void {
    const reports = join(this.cwd, '.stalemate');
    if (!existsSync(reports)) return;
    for (const name of readdirSync(reports, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.partial') || name.startsWith('in-use')) this.complaints.push(`${name} is left`);
  }

  #exit({ code, signal, sent, wasSilent }: InterruptedRun, { aim, way }: InterruptPlan, hasFindings: boolean): void {
    if (sent.includes('hang-up') || signal === 'SIGKILL') return;
    const orderly = hasFindings ? [1] : [0, 3];
    if (signal === null && code !== null && orderly.includes(code)) return;
    const names = sent.map((send) => (send === 'ctrl-c' || send === 'hang-up' ? 'SIGINT' : send));
    const isOurs = way === 'node' || way === 'hand-over';
    // Before the handlers are installed, a signal ends the process as usual. npm ends with the signal that it received, whatever its
    // child's exit code.
    const mayDie = sent.length > 1 || (sent.length > 0 && (wasSilent || !isOurs));
    const isSignal = names.some((name) => name === signal || code === 128 + constants.signals[name]);
    if (mayDie && isSignal) return;
    const expected = `${orderly.join(' or ')}${mayDie ? ` or the signal (${names.join(', ')})` : ''}`;
    this.complaints.push(`it ended with ${code ?? signal ?? 'nothing'} (${aim}), expected ${expected}`);
  }

  /** Replays everything on disk. */
  replay(): number {
    const files = ['failures', 'unproved'].flatMap((folder) =>
      this.#names(folder).map((name) => join('.stalemate', folder, name)),
    );
    for (const file of files) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join('node_modules', '.bin', 'stalemate'), 'replay', file, '--times', '1'],
        { cwd: this.cwd, env: this.env, encoding: 'utf8' },
      );
      if (status !== 0 && status !== 1 && status !== 3)
        this.complaints.push(`replaying ${file} ended with ${status}: ${stdout.slice(-500)}${stderr.slice(-500)}`);
    }
    return files.length;
  }
}
