/** `refreshes-version-only` with the same bug: it also lists all Deployments before it starts. */
import type { ControllerContext, RunningController } from '../../../lib/controller.ts';
import { runReleases } from '../../../releases/common/run.ts';
import { report } from '../../../releases/correct/controller.ts';
import { rollOut } from '../../../releases/refreshes-version-only/controller.ts';

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, {
    rollOut: async (clients, release) => {
      const { apps, namespace } = clients;
      await apps.listNamespacedDeployment({ namespace });
      return rollOut(clients, release);
    },
    report,
  });
}
