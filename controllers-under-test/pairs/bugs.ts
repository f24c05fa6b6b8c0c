/** What a planted bug is, and how a controller with some of them is built. Start at {@link startWith}. */
import type { ControllerContext, RunningController } from '../lib/controller.ts';

/** Replaces steps of a controller. Called once for each start, so its state ends with the controller. */
export type Bug<Steps> = (steps: Steps) => Partial<Steps>;

export type Start = (context: ControllerContext) => Promise<RunningController>;

export type Bugs<Steps> = { readonly [name: string]: Bug<Steps> };

/**
 * The steps of a controller that has exactly these bugs. A later bug gets the steps of the earlier ones.
 *
 * @throws {Error} if there is no such bug, or if two bugs replace the same step: the controller would have only one of them.
 */
function withBugs<Steps extends object>(correct: Steps, known: Bugs<Steps>, names: readonly string[]): Steps {
  let steps = correct;
  const replacedBy = new Map<string, string>();
  for (const name of names) {
    const bug = known[name];
    if (bug === undefined) throw new Error(`got bug "${name}", expected one of ${Object.keys(known).join(', ')}`);
    const replaced = bug(steps);
    for (const step of Object.keys(replaced)) {
      const earlier = replacedBy.get(step);
      if (earlier !== undefined) throw new Error(`bugs "${earlier}" and "${name}" both replace the step "${step}"`);
      replacedBy.set(step, name);
    }
    steps = { ...steps, ...replaced };
  }
  return steps;
}

/**
 * Returns a function that builds a controller with given bugs, from its correct steps, its known bugs and how its steps run.
 *
 * @throws {Error} as {@link withBugs}, before the controller starts.
 */
export function startWith<Steps extends object>(
  correct: Steps,
  known: Bugs<Steps>,
  run: (context: ControllerContext, steps: Steps) => Promise<RunningController>,
): (bugs: readonly string[]) => Start {
  return (bugs) => {
    withBugs(correct, known, bugs);
    return (context) => run(context, withBugs(correct, known, bugs));
  };
}
