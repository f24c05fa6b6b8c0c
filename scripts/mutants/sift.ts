/** Decides which mutants count: mutants that behave like their original in an undisturbed run. */
import type { Mutant } from './generate.ts';
import { inLanes, type Lane, type Undisturbed } from './jobs.ts';
import { original, placed } from './place.ts';
import { digestOf, type MutantResult } from './results.ts';
import type { Source } from './sources.ts';

/** The undisturbed run of each original. */
type Originals = Map<Source, Promise<Undisturbed>>;

/**
 * Runs each mutant undisturbed, and calls `done` with its result.
 *
 * @throws if an original fails undisturbed.
 */
export async function sift(
  lanes: readonly Lane[],
  mutants: readonly Mutant[],
  done: (result: MutantResult, mutant: Mutant) => void,
): Promise<void> {
  const originals: Originals = new Map();
  await inLanes(lanes, mutants, async (lane, mutant) => {
    const { id, source } = mutant;
    if (!originals.has(source)) originals.set(source, ofOriginal(lane, source));
    const right = await originals.get(source);
    if (right === undefined || right.broken !== null) throw new Error(`${source.controller}: ${right?.broken ?? ''}`);
    const left = await whyLeft(lane, mutant, right);
    done({ id, digest: digestOf(mutant), ...(left === undefined ? {} : { left }) }, mutant);
  });
}

function ofOriginal(lane: Lane, source: Source): Promise<Undisturbed> {
  const options = original(source);
  return lane.undisturbed(source.controller, { options, original: options, script: null });
}

/** Returns why a mutant does not count, or undefined if it counts. */
async function whyLeft(lane: Lane, mutant: Mutant, right: Undisturbed): Promise<string | undefined> {
  const { broken, states } = await lane
    .undisturbed(mutant.source.controller, {
      options: placed(mutant),
      original: original(mutant.source),
      script: right.script,
    })
    .catch((error: unknown) => ({ broken: error instanceof Error ? error.message : String(error), states: [] }));
  if (broken !== null) return `fails undisturbed: ${broken}`;
  const step = states.findIndex((state, index) => state !== right.states[index]);
  if (step === -1 && states.length === right.states.length) return undefined;
  return `fails undisturbed: another state after step ${step === -1 ? states.length : step} of the user`;
}
