/**
 * Wrong: it applies an annotation to the Release of its cache, which may have been deleted.
 *
 * A server-side apply creates an object that does not exist. This one has neither a UID nor a resourceVersion, so a Release that its user
 * has deleted comes back, and gets a Deployment again.
 */
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { pathOf } from '../common/api.ts';
import { nameOf } from '../common/deployment.ts';
import { type Clients, runReleases } from '../common/run.ts';
import { type Release, RELEASES } from '../common/types.ts';
import { report as reportStatus, rollOut } from '../correct/controller.ts';

const NOTE = 'delivery.example.com/rolled-out';

async function report(clients: Clients, release: Release): Promise<void> {
  const { image } = release.spec;
  if (release.metadata?.annotations?.[NOTE] !== image) {
    await clients.custom.patchNamespacedCustomObject(
      {
        ...pathOf(release),
        fieldManager: 'releases',
        force: true,
        body: {
          apiVersion: `${RELEASES.group}/${RELEASES.version}`,
          kind: 'Release',
          metadata: { name: nameOf(release), annotations: { [NOTE]: image } },
          spec: release.spec,
        },
      },
      setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
    );
  }
  await reportStatus(clients, release);
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report });
}
