/** What a planted bug is, and how a controller is made with some of them. Start at {@link startWith}. */
import type { ControllerContext, RunningController } from '../lib/controller.ts';

/** Replaces steps of a controller. Called once for each start, so that what it remembers ends with the controller. */
export type Bug<Steps> = (steps: Steps) => Partial<Steps>;

export type Start = (context: ControllerContext) => Promise<RunningController>;

export type Bugs<Steps> = { readonly [name: string]: Bug<Steps> };

/**
 * The steps of a controller that has these bugs and no others. A later bug gets the steps of the earlier ones.
 *
 * @throws {Error} when there is no such bug, or a bug replaces what another one has replaced: only one of them would be there.
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
 * A controller, given how it runs in steps: for the bugs that it is to have, its start.
 *
 * @throws {Error} as {@link withBugs}, before it starts.
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
