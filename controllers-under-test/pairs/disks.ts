/** The Disk controller as separate steps, and bugs that replace some of them. */
import { type Disk, type FinalizerPatch, type Provide, runDisks } from '../disks/common/run.ts';
import type { ControllerContext, RunningController } from '../lib/controller.ts';
import { type Bugs, type Start, startWith } from './bugs.ts';

interface Steps {
  /** The idempotency key of the request that creates the disk. */
  readonly keyOf: (disk: Disk) => string | undefined;
  readonly finalizerPatch: FinalizerPatch | undefined;
}

const CORRECT: Steps = { keyOf: ({ metadata }) => metadata?.uid, finalizerPatch: undefined };

function runSteps(context: ControllerContext, steps: Steps): Promise<RunningController> {
  const { keyOf, finalizerPatch } = steps;
  const provide: Provide = (service, disk) =>
    service.create({ owner: disk.metadata?.uid ?? '', sizeGiB: disk.spec.sizeGiB }, keyOf(disk));
  return runDisks(context, provide, finalizerPatch);
}

const DISK_BUGS: Bugs<Steps> = {
  'asks-without-key': () => ({ keyOf: () => undefined }),
  'patches-finalizers-blind': () => ({ finalizerPatch: (_, finalizers) => ({ metadata: { finalizers } }) }),
};

export const startDisks: (bugs: readonly string[]) => Start = startWith(CORRECT, DISK_BUGS, runSteps);
