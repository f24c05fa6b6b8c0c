/**
 * Runs random sequences until the budget is spent and shrinks each new class of difference to a minimal sequence.
 *
 * Owns: the budget, parallel sequences, shrinking, and restarting the servers regularly, because no controller finalizes the namespaces
 * that sequences leave behind. Start at {@link runCampaign}.
 */
import { asyncProperty, check, sample } from 'fast-check';
import { realNow } from '../../clock.ts';
import { sequences, type Sequence } from './operation.ts';
import { runSequence, type SequenceResult } from './run-sequence.ts';
import type { Difference } from './difference.ts';
import { startBoth, type Side } from './servers.ts';

export interface CampaignOptions {
  readonly budgetMs: number;
  /** The maximum number of sequences, even if some of the budget is left. */
  readonly sequences?: number;
  readonly seed: number;
  /** Kinds by id; default all. */
  readonly only?: readonly string[];
  readonly progress?: (line: string) => void;
  /** The number of parallel sequences. */
  readonly parallel?: number;
  /** The time limit for shrinking one difference. */
  readonly shrinkMs?: number;
}

export interface DifferenceClass {
  readonly key: string;
  count: number;
  /** The smallest example found within the time for shrinking. */
  readonly example: Difference;
  readonly script: readonly string[];
  readonly seed: number;
  readonly kinds: readonly string[];
}

export interface CampaignResult {
  readonly sequences: number;
  readonly steps: number;
  readonly elapsedMs: number;
  readonly classes: readonly DifferenceClass[];
  readonly known: number;
  /** Classes that did not reproduce when their sequence ran again: a real server's watch cache lags when it is busy. */
  readonly flickers: readonly string[];
  readonly covered: ReadonlyMap<string, number>;
  /** Sequences that failed with an error of the comparison itself. */
  readonly errors: readonly string[];
}

/** The number of attempts to reproduce a difference. */
const TRIES = 3;
const PARALLEL = 4;
const SHRINK_MS = 3000;
const SEQUENCES_PER_SERVER = 1500;
const ERRORS_MAX = 20;

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const arbitrary = sequences(options.only);
  const began = realNow();
  const deadline = began + options.budgetMs;
  const most = options.sequences ?? Number.POSITIVE_INFINITY;
  const classes = new Map<string, DifferenceClass>();
  const covered = new Map<string, number>();
  const errors: string[] = [];
  const flickers: string[] = [];
  let done = 0;
  let steps = 0;
  let known = 0;
  const notes = options.progress ?? ((): void => {});

  // The last fifth of the budget is for shrinking.
  const searchEnd = began + options.budgetMs * 0.8;
  while (realNow() < searchEnd && done < most && errors.length < ERRORS_MAX) {
    const { ours, real, stop } = await startBoth();
    const last = Math.min(done + SEQUENCES_PER_SERVER, most);
    let next = done;
    const found = new Map<string, Sequence>();
    const worker = async (): Promise<void> => {
      while (realNow() < searchEnd && next < last && errors.length < ERRORS_MAX) {
        const seed = options.seed + next++;
        const sequence = sample(arbitrary, { seed, numRuns: 1 })[0];
        if (sequence === undefined) continue;
        try {
          const result = await runSequence(sequence, ours, real);
          steps += result.steps;
          known += result.known.length;
          for (const one of result.covered) covered.set(one, (covered.get(one) ?? 0) + 1);
          for (const key of new Set(result.differences.map((one) => one.key))) {
            const seen = classes.get(key);
            if (seen !== undefined) {
              seen.count++;
              continue;
            }
            notes(`new: ${key} (seed ${seed})`);
            const entry = classFrom(key, result, sequence, seed);
            if (entry !== undefined) classes.set(key, entry);
            const steps = entry?.example.steps ?? result.steps;
            found.set(key, { ...sequence, operations: sequence.operations.slice(0, steps) });
          }
        } catch (error) {
          errors.push(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
        }
        done++;
      }
    };
    try {
      await Promise.all(Array.from({ length: options.parallel ?? PARALLEL }, worker));
      const shrinkEnd = realNow() < searchEnd ? realNow() + (deadline - searchEnd) / 4 : deadline;
      for (const [key, sequence] of found) {
        if (realNow() >= shrinkEnd) break;
        const old = classes.get(key);
        let minimal: DifferenceClass | undefined;
        for (let tries = 0; tries < TRIES && minimal === undefined; tries++)
          minimal = await shrink(sequence, key, old?.seed ?? 0, { ours, real }, options.shrinkMs ?? SHRINK_MS);
        if (minimal !== undefined) classes.set(key, { ...minimal, count: old?.count ?? 1 });
        else if ((old?.count ?? 1) === 1 && classes.delete(key)) flickers.push(key);
      }
    } finally {
      await stop();
    }
    notes(`${done} sequences, ${classes.size} classes of differences`);
  }
  return {
    sequences: done,
    steps,
    elapsedMs: realNow() - began,
    classes: [...classes.values()].sort((a, b) => b.count - a.count),
    known,
    flickers,
    covered,
    errors,
  };
}

function classFrom(key: string, result: SequenceResult, sequence: Sequence, seed: number): DifferenceClass | undefined {
  const example = result.differences.find((one) => one.key === key);
  return example === undefined
    ? undefined
    : { key, count: 1, example, script: result.script.slice(0, example.steps), seed, kinds: sequence.kinds };
}

/** Returns the smallest sequence that fast-check finds within its time limit and that has a difference with the same key. */
async function shrink(
  sequence: Sequence,
  key: string,
  seed: number,
  { ours, real }: { readonly ours: Side; readonly real: Side },
  timeMs: number,
): Promise<DifferenceClass | undefined> {
  let minimal: DifferenceClass | undefined;
  const property = asyncProperty(sequences(sequence.kinds, 1), async (smaller) => {
    const result = await runSequence(smaller, ours, real);
    const found = classFrom(key, result, smaller, seed);
    minimal = found ?? minimal;
    return found === undefined;
  });
  await check(property, {
    examples: [[sequence]],
    numRuns: 1,
    interruptAfterTimeLimit: timeMs,
    markInterruptAsFailure: false,
  });
  return minimal;
}
