/** `refreshes-version-only` with the same bug: it also patches the Deployment with its own name. */
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../../lib/controller.ts';
import { orUndefined } from '../../../lib/errors.ts';
import { nameOf } from '../../../releases/common/deployment.ts';
import { runReleases } from '../../../releases/common/run.ts';
import { report } from '../../../releases/correct/controller.ts';
import { rollOut } from '../../../releases/refreshes-version-only/controller.ts';

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, {
    rollOut: async (clients, release) => {
      const { apps, namespace } = clients;
      const name = nameOf(release);
      const asMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
      await orUndefined(apps.patchNamespacedDeployment({ name, namespace, body: { metadata: { name } } }, asMerge));
      return rollOut(clients, release);
    },
    report,
  });
}
