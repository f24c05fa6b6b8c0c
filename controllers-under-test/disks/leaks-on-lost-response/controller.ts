/**
 * Wrong: it creates a disk without an idempotency key.
 *
 * If the answer is lost, or the id cannot be stored, the next attempt creates another disk, and nothing refers to the first one.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { type Disk, runDisks } from '../common/run.ts';
import type { OutsideDisk, StorageService } from '../common/service.ts';

function provide(service: StorageService, { metadata, spec }: Disk): Promise<OutsideDisk> {
  return service.create({ owner: metadata?.uid ?? '', sizeGiB: spec.sizeGiB }, undefined);
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runDisks(context, provide);
}
