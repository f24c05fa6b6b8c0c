/**
 * Wrong: it deletes a finished Preview only by its name, without a UID precondition.
 *
 * Before the delete request arrives, the user may have replaced the Preview with one that is not done.
 */
import type { CustomObjectsApi } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { orUndefined } from '../../lib/errors.ts';
import { pathOf, type Preview, runPreviews } from '../common/run.ts';

async function remove(custom: CustomObjectsApi, preview: Preview): Promise<void> {
  await orUndefined(custom.deleteNamespacedCustomObject(pathOf(preview)));
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runPreviews(context, remove);
}
