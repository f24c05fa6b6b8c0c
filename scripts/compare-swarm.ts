/**
 * Does a soak find bugs sooner if three of four batches draw fewer writers, faults and strategies (swarm testing), or if every batch uses
 * everything? Measures both on wrong controllers: runs until the first violation of an expected property.
 *
 * `node scripts/compare-swarm.ts [--only TEXT]… [--seeds 10] [--runs 1000] [--batch 20]`. What matters is the length of a batch relative to
 * the time that a bug takes. Bugs that the whole mix finds in tens of runs represent bugs that take it an hour in a soak; the batches are
 * shortened by the same factor. The results are in `docs/decisions/0038-most-batches-are-whole.md`.
 */
import * as fc from 'fast-check';
import { resolveRun } from '../harness/cli/library.ts';
import { writers } from '../harness/cli/registry.ts';
import { LabWorker, type Ready } from '../harness/execution/lab/lab-worker.ts';
import type { RunConfig } from '../harness/execution/config/run-config.ts';
import { batchRandom } from '../harness/execution/soak/place.ts';
import { drawBatch } from '../harness/execution/soak/swarm.ts';
import { ownModule } from '../harness/model/own-module.ts';
import type { Draw } from '../harness/model/soak.ts';
import type { Trial } from '../harness/model/trial.ts';
import { trialArbitrary } from '../harness/schedule/arbitrary.ts';
import { workloadArbitrary } from '../harness/schedule/workload/workload-arbitrary.ts';
import { type ControllerUnderTest, expectedProperties, isCorrect, nameOf, optionsFor, selected } from './catalogue.ts';
import { median, shown } from './soak-self/statistics.ts';
import { parseFlags } from './run-main.ts';

const { values } = parseFlags({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    seeds: { type: 'string', default: '10' },
    runs: { type: 'string', default: '1000' },
    batch: { type: 'string', default: '20' },
  },
});
const runsMax = Number(values.runs);
const batchRuns = Number(values.batch);
const WORKER = ownModule(import.meta.url, '../harness/cli/worker.ts');

/** Batch numbers: for the first a soak uses everything, for the second it draws fewer writers, faults and strategies. */
const [WHOLE, DRAWN] = [0, 3];
const MIXES = {
  whole: () => WHOLE,
  swarm: (batch: number) => (batch % 4 === 0 ? WHOLE : DRAWN),
} as const;

class Bench {
  readonly #config: RunConfig;
  readonly #worker: LabWorker;
  readonly #ready: Ready;

  private constructor(config: RunConfig, worker: LabWorker, ready: Ready) {
    this.#config = config;
    this.#worker = worker;
    this.#ready = ready;
  }

  static async open(entry: ControllerUnderTest): Promise<Bench> {
    const config = resolveRun(optionsFor(entry), { only: expectedProperties(entry) });
    const worker = new LabWorker(config, WORKER);
    return new Bench(config, worker, await worker.ready());
  }

  /** Returns the number of the first run that fails, or the maximum if none does. */
  async runsToFinding(shard: number, mix: keyof typeof MIXES): Promise<number> {
    for (let run = 0, batch = 0; run < runsMax; batch++) {
      const random = batchRandom('swarm', { index: shard }, batch);
      const draw = drawBatch(this.#config, MIXES[mix](batch), random);
      for (const trial of this.#trials(draw)) {
        run++;
        if (await this.#isFailing(trial)) return run;
      }
    }
    return runsMax;
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  #trials({ seed, writers: names, faults, strategies, start }: Draw): readonly Trial[] {
    const { aim, base, bystander } = this.#ready;
    const workload = workloadArbitrary({
      ...{ aim, bystander, sample: base.sample, garbageCollection: this.#config.settings.garbageCollection },
      writers: writers.filter(({ name }) => names.includes(name)),
      ...(start === null ? {} : { start }),
    });
    const trials = trialArbitrary({ workload, faults, ...(strategies === null ? {} : { strategies }) });
    return fc.sample(trials, { seed, numRuns: batchRuns });
  }

  async #isFailing(trial: Trial): Promise<boolean> {
    const answer = await this.#worker.run(
      trial,
      this.#config.properties.map(({ name }) => name),
    );
    return 'end' in answer || answer.violations.some(({ severity }) => severity === 'error');
  }
}

/** If the budget ended a search, the mean is a lower bound. */
function summary(runs: readonly number[]): string {
  const found = runs.filter((one) => one < runsMax).length;
  const mean = runs.reduce((sum, one) => sum + one, 0) / runs.length;
  const parts = [
    `${found}/${runs.length}`,
    shown(median(runs), 0),
    `${found < runs.length ? '≥' : ''}${shown(mean, 0)}`,
  ];
  return parts.map((part) => part.padStart(6)).join(' ');
}

const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
const columns = ' found median   mean';
process.stdout.write(`${'runs to the first finding'.padEnd(40)} whole ${columns}    swarm ${columns}\n`);
for (const entry of selected(values.only).filter((one) => !isCorrect(one))) {
  const bench = await Bench.open(entry);
  const parts: string[] = [];
  for (const mix of ['whole', 'swarm'] as const) {
    const runs: number[] = [];
    for (const seed of seeds) runs.push(await bench.runsToFinding(seed, mix));
    parts.push(summary(runs));
  }
  await bench.close();
  process.stdout.write(`${nameOf(entry).padEnd(40)} ${parts.map((part) => part.padEnd(29)).join('')}\n`);
}
