/**
 * The Preview controller as it should be.
 *
 * What is done may have been replaced by the time the deletion arrives, so the deletion names the uid that it is meant for, and the
 * version that said so.
 */
import type { CustomObjectsApi } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { isConflict, orUndefined } from '../../lib/errors.ts';
import { pathOf, type Preview, runPreviews } from '../common/run.ts';

async function remove(custom: CustomObjectsApi, preview: Preview): Promise<void> {
  const { uid = '', resourceVersion = '' } = preview.metadata ?? {};
  const preconditions = { uid, resourceVersion };
  try {
    await orUndefined(custom.deleteNamespacedCustomObject({ ...pathOf(preview), body: { preconditions } }));
  } catch (error) {
    // It was changed or replaced: the watch will tell, and then it is judged anew.
    if (!isConflict(error)) throw error;
  }
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runPreviews(context, remove);
}
