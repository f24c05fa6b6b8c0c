/**
 * The correct Disk controller.
 *
 * The answer may be lost, and storing the id may fail. Then the create is repeated with the same key and returns the same disk.
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
