/** The Preview controller as separate steps, and bugs that replace some of them. */
import type { ControllerContext, RunningController } from '../lib/controller.ts';
import { isConflict, orUndefined } from '../lib/errors.ts';
import { type Adopt, pathOf, type Remove, runPreviews } from '../previews/common/run.ts';
import { type Bugs, type Start, startWith } from './bugs.ts';

interface Steps {
  readonly remove: Remove;
  readonly adopt: Adopt | undefined;
}

const CORRECT: Steps = {
  remove: async (custom, preview) => {
    const { uid = '', resourceVersion = '' } = preview.metadata ?? {};
    const preconditions = { uid, resourceVersion };
    try {
      await orUndefined(custom.deleteNamespacedCustomObject({ ...pathOf(preview), body: { preconditions } }));
    } catch (error) {
      // It was changed or replaced: the watch will deliver that, and the next reconcile decides again.
      if (!isConflict(error)) throw error;
    }
  },
  adopt: undefined,
};

function runSteps(context: ControllerContext, steps: Steps): Promise<RunningController> {
  const { remove, adopt } = steps;
  return runPreviews(context, remove, adopt);
}

const PREVIEW_BUGS: Bugs<Steps> = {
  'deletes-by-name': () => ({
    remove: async (custom, preview) => {
      await orUndefined(custom.deleteNamespacedCustomObject(pathOf(preview)));
    },
  }),
  'replaces-owners': () => ({
    adopt: (_, { metadata, data }) => ({ metadata: { ownerReferences: metadata?.ownerReferences ?? [] }, data }),
  }),
};

export const startPreviews: (bugs: readonly string[]) => Start = startWith(CORRECT, PREVIEW_BUGS, runSteps);
