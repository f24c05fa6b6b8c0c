/**
 * The correct Preview controller.
 *
 * Before the delete request arrives, the user may replace the finished Preview, so the request has preconditions: the UID, and the
 * resourceVersion that was read.
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
    // It was changed or replaced: the watch will deliver that, and the next reconcile decides again.
    if (!isConflict(error)) throw error;
  }
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runPreviews(context, remove);
}
