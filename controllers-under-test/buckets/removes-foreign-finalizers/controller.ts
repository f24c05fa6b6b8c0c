/**
 * Wrong: when its own work is done it empties the list of finalizers.
 *
 * Whoever else keeps the bucket, for a backup say, finds it gone.
 */
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { orUndefined } from '../../lib/errors.ts';
import { pathOf } from '../common/api.ts';
import { type Clients, runBuckets } from '../common/run.ts';
import { credentialsOf, settingsOf } from '../common/things.ts';
import type { Bucket } from '../common/types.ts';
import { provide, report } from '../correct/controller.ts';

async function cleanUp({ core, custom }: Clients, bucket: Bucket): Promise<void> {
  for (const thing of [credentialsOf(core, bucket), settingsOf(core, bucket)]) await thing.remove({});
  const body = { metadata: { finalizers: null } };
  const asMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  await orUndefined(custom.patchNamespacedCustomObject({ ...pathOf(bucket), body }, asMerge));
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runBuckets(context, { provide, cleanUp, report });
}
