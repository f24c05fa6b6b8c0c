/**
 * The Disk controller as it should be.
 *
 * An answer may be lost, and so may the note of the id; both only mean that the same disk is asked for once more.
 */
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { type Disk, runDisks } from '../common/run.ts';
import type { OutsideDisk, StorageService } from '../common/service.ts';

function provide(service: StorageService, { metadata, spec }: Disk): Promise<OutsideDisk> {
  const owner = metadata?.uid ?? '';
  return service.create({ owner, sizeGiB: spec.sizeGiB }, owner);
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runDisks(context, provide);
}
