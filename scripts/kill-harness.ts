/**
 * Kills the harness at random moments of runs, and checks what it leaves behind.
 *
 * After each kill -9, no process of the harness is left, the next start removes its folders, and every written file is complete. `node
 * scripts/kill-harness.ts --cluster envtest --times 100 [--seed N] [--within MS]`. For `existing`, serves an API server on loopback and
 * checks it after each `stalemate clean`; for `kind`, compares kind's clusters with those that the killed run had recorded. Needs /proc.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { leftRunning } from './processes-of.ts';
import { parseFlags } from './run-main.ts';

const BIN = fileURLToPath(new URL('../harness/cli/bin.mjs', import.meta.url));
const RELEASES = fileURLToPath(new URL('../controllers-under-test/releases/', import.meta.url));
/** Watchdogs kill the remaining processes within moments, on a busy machine within a few seconds more. */
const GONE_MS = 20_000;
/** A cluster that is being created can only be deleted once that is done. */
const KIND_GONE_MS = 300_000;

const KILLED_ON: readonly ['embedded', 'envtest', 'existing', 'kind'] = ['embedded', 'envtest', 'existing', 'kind'];

export interface KillOptions {
  readonly cluster: (typeof KILLED_ON)[number];
  readonly times: number;
  readonly seed: number;
  /** The latest time of a kill, in ms after the start. */
  readonly withinMs: number;
  readonly tell: (line: string) => void;
}

export interface KillResult {
  readonly kills: number;
  /** Problems that were found after kills. */
  readonly complaints: readonly string[];
  /** Folders that the next start had to remove. */
  readonly swept: number;
}

export async function killAgainAndAgain(options: KillOptions): Promise<KillResult> {
  const place = mkdtempSync(join(tmpdir(), 'kill-harness-'));
  const world = new KillWorld(place, options);
  try {
    return await world.run();
  } finally {
    await world.close();
    // A process that is still ending may write into the folder, and create it again.
    await leftRunning(place, GONE_MS);
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  }
}

class KillWorld {
  readonly #place: string;
  readonly #options: KillOptions;
  readonly #complaints: string[] = [];
  #random: number;
  #served: ChildProcess | undefined;
  #swept = 0;

  constructor(place: string, options: KillOptions) {
    this.#place = place;
    this.#options = options;
    this.#random = options.seed >>> 0;
    for (const name of ['tmp', 'state', 'work']) mkdirSync(join(place, name));
  }

  async run(): Promise<KillResult> {
    const { times, cluster, tell, withinMs } = this.#options;
    if (cluster === 'existing') await this.#serve();
    for (let n = 1; n <= times; n++) {
      const afterMs = Math.round(this.#next() * withinMs);
      const before = this.#complaints.length;
      await this.#killOne(afterMs);
      await this.#look(`kill ${n}, after ${afterMs} ms`);
      const found = this.#complaints.slice(before);
      tell(`${n}: killed after ${afterMs} ms${found.length === 0 ? '' : `\n  ${found.join('\n  ')}`}`);
    }
    const last = await this.#start(['run', ...this.#runArguments(), '--budget', '1'], 'tmp');
    if (last.code !== 0 && last.code !== 1 && last.code !== 3)
      this.#complaints.push(`the run after the last kill ended with ${last.code}: ${last.text}`);
    this.#files('the last run');
    return { kills: times, complaints: this.#complaints, swept: this.#swept };
  }

  async close(): Promise<void> {
    if (this.#served === undefined) return;
    const ended = once(this.#served, 'exit');
    this.#served.kill('SIGTERM');
    await ended;
  }

  /** A pseudo-random number from 0 to 1, the same for the same seed. */
  #next(): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#random / 2 ** 32;
  }

  #runArguments(): readonly string[] {
    const { cluster } = this.#options;
    const existing = cluster === 'existing' ? ['--kubeconfig', join(this.#place, 'kubeconfig')] : [];
    const target = join(RELEASES, 'refreshes-version-only', 'controller.ts');
    const sample = ['--crds', join(RELEASES, 'crd.yaml'), '--sample', join(RELEASES, 'sample.yaml')];
    return ['--cluster', cluster, ...existing, ...sample, '--target', target];
  }

  #spawn(args: readonly string[], folder: string): ChildProcess {
    const env = { ...process.env, TMPDIR: join(this.#place, folder), XDG_STATE_HOME: join(this.#place, 'state') };
    return spawn(process.execPath, [BIN, ...args], {
      cwd: join(this.#place, 'work'),
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async #start(args: readonly string[], folder: string): Promise<{ readonly code: number; readonly text: string }> {
    const child = this.#spawn(args, folder);
    let text = '';
    child.stdout?.on('data', (piece: Buffer) => (text += piece.toString()));
    child.stderr?.on('data', (piece: Buffer) => (text += piece.toString()));
    const [code] = (await once(child, 'close')) as unknown as readonly [number | null];
    return { code: code ?? -1, text };
  }

  async #killOne(afterMs: number): Promise<void> {
    const child = this.#spawn(['run', ...this.#runArguments(), '--budget', '120s'], 'tmp');
    let text = '';
    child.stderr?.on('data', (piece: Buffer) => (text += piece.toString()));
    child.stdout?.resume();
    const ended = once(child, 'exit');
    const early = await Promise.race([ended.then(() => true), delay(afterMs, false)]);
    if (early) this.#complaints.push(`it ended before it was killed: ${text.slice(-500)}`);
    child.kill('SIGKILL');
    await ended;
  }

  async #look(when: string): Promise<void> {
    const folder = join(this.#place, 'tmp');
    const noted = this.#notedClusters();
    const orphans = await leftRunning(folder, this.#options.cluster === 'kind' ? KIND_GONE_MS : GONE_MS);
    for (const orphan of orphans) this.#complaints.push(`${when}: ${orphan} still runs`);
    const there = noted.length === 0 ? [] : kindClusters();
    for (const name of noted.filter((one) => there.includes(one)))
      this.#complaints.push(`${when}: the kind cluster ${name} is left`);
    for (const name of this.#notedClusters()) this.#complaints.push(`${when}: the notes of ${name} are left`);
    this.#swept += readdirSync(folder).filter((name) => name.startsWith('stalemate-control-plane-')).length;
    const cleaned = await this.#start(['clean'], 'tmp');
    if (cleaned.code !== 0) this.#complaints.push(`${when}: clean ended with ${cleaned.code}: ${cleaned.text}`);
    for (const name of readdirSync(folder)) {
      // Other files in this folder are from Node.
      if (!name.startsWith('stalemate-')) continue;
      this.#complaints.push(`${when}: the folder ${name} is left`);
      rmSync(join(folder, name), { recursive: true, force: true });
    }
    if (this.#options.cluster === 'existing') await this.#lookThere(when);
    this.#files(when);
  }

  /** kind clusters that runs have recorded as their own. */
  #notedClusters(): readonly string[] {
    const folder = join(this.#place, 'state', 'stalemate', 'kind');
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  /** Checks that every report file is complete. */
  #files(when: string): void {
    const reports = join(this.#place, 'work', '.stalemate');
    if (!existsSync(reports)) return;
    for (const name of readdirSync(reports, { recursive: true, encoding: 'utf8' })) {
      const text = (): string => readFileSync(join(reports, name), 'utf8');
      if (name.endsWith('.json')) {
        try {
          JSON.parse(text());
        } catch {
          this.#complaints.push(`${when}: ${name} is not valid JSON`);
        }
      } else if (name.endsWith('.html') && !text().trimEnd().endsWith('</html>'))
        this.#complaints.push(`${when}: ${name} is incomplete`);
    }
  }

  async #serve(): Promise<void> {
    const kubeconfig = join(this.#place, 'kubeconfig');
    // In a separate folder, so that it is not mistaken for a killed run.
    mkdirSync(join(this.#place, 'serve'));
    this.#served = this.#spawn(['serve', '--plain-http', '--write-kubeconfig', kubeconfig], 'serve');
    this.#served.stderr?.resume();
    await once(this.#served.stdout ?? this.#served, 'data');
  }

  /** Checks that no object of a run is left on the server. */
  async #lookThere(when: string): Promise<void> {
    const url = /server: (?<url>\S+)/.exec(readFileSync(join(this.#place, 'kubeconfig'), 'utf8'))?.groups?.['url'];
    for (const path of ['/api/v1/namespaces', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions']) {
      const answer = (await (await fetch(`${url ?? ''}${path}`)).json()) as Listing;
      for (const { metadata } of answer.items)
        if (metadata.labels?.['stalemate.dev/run'] !== undefined)
          this.#complaints.push(`${when}: ${metadata.name} is left on the server`);
    }
  }
}

function kindClusters(): readonly string[] {
  return spawnSync('kind', ['get', 'clusters'], { encoding: 'utf8' }).stdout.split('\n');
}

interface Listing {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly labels?: { readonly [name: string]: string } };
  }[];
}

if (import.meta.main) {
  const { values } = parseFlags({
    options: {
      cluster: { type: 'string', default: 'embedded' },
      times: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      within: { type: 'string', default: '20000' },
    },
  });
  const cluster = KILLED_ON.find((one) => one === values.cluster);
  if (cluster === undefined)
    throw new TypeError(`got cluster "${values.cluster}", expected one of ${KILLED_ON.join(', ')}`);
  const { kills, complaints, swept } = await killAgainAndAgain({
    cluster,
    times: Number(values.times),
    seed: Number(values.seed),
    withinMs: Number(values.within),
    tell: (line) => console.log(line),
  });
  console.log(`${kills} kills, ${complaints.length} complaints, ${swept} folders removed by the next start`);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}
