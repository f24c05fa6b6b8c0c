/**
 * Wrong: it treats the list of finalizers as its own: it sets the list to its own finalizer, and empties it when its work is done.
 *
 * Finalizers of other controllers are lost, so a bucket disappears that, for example, a backup still needs.
 */
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { orUndefined } from '../../lib/errors.ts';
import { pathOf } from '../common/api.ts';
import { type Clients, runBuckets } from '../common/run.ts';
import { credentialsOf, settingsOf } from '../common/things.ts';
import { type Bucket, FINALIZER, hasFinalizer } from '../common/types.ts';
import { provide as provideThings, report } from '../correct/controller.ts';

async function provide(clients: Clients, bucket: Bucket): Promise<boolean> {
  if (!hasFinalizer(bucket)) await setFinalizers(clients, bucket, [FINALIZER]);
  return provideThings(clients, bucket);
}

async function cleanUp(clients: Clients, bucket: Bucket): Promise<void> {
  const { core } = clients;
  for (const thing of [credentialsOf(core, bucket), settingsOf(core, bucket)]) await thing.remove({});
  await setFinalizers(clients, bucket, []);
}

async function setFinalizers({ custom }: Clients, bucket: Bucket, finalizers: readonly string[]): Promise<void> {
  const body = { metadata: { finalizers } };
  const asMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  await orUndefined(custom.patchNamespacedCustomObject({ ...pathOf(bucket), body }, asMerge));
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runBuckets(context, { provide, cleanUp, report });
}
