/** The ten correct controllers that mutants are generated from, with the files of each. */
import type { Language } from './syntax.ts';

export interface Source {
  /** The name of the controller in the catalogue. */
  readonly controller: string;
  readonly language: Language;
  /** The files to mutate, relative to the folder of controllers under test. */
  readonly files: readonly string[];
  /** Other folders that a mutant needs. */
  readonly beside: readonly string[];
  /** True for a held-out controller: the search, the oracles and the operators must not be tuned on its results. */
  readonly isHeldOut: boolean;
}

const TYPESCRIPT = { language: 'typescript', beside: ['lib'], isHeldOut: false } as const;

export const SOURCES: readonly Source[] = [
  {
    ...TYPESCRIPT,
    controller: 'buckets',
    files: [
      'buckets/common/api.ts',
      'buckets/common/run.ts',
      'buckets/common/status.ts',
      'buckets/common/things.ts',
      'buckets/common/types.ts',
      'buckets/correct/controller.ts',
    ],
  },
  {
    ...TYPESCRIPT,
    controller: 'disks',
    files: ['disks/common/run.ts', 'disks/common/service.ts', 'disks/correct/controller.ts'],
  },
  {
    ...TYPESCRIPT,
    controller: 'elected-pools',
    files: ['elected-pools/correct/controller.ts', 'lib/leader.ts'],
    beside: ['lib', 'worker-pools'],
  },
  {
    ...TYPESCRIPT,
    controller: 'previews',
    files: ['previews/common/run.ts', 'previews/correct/controller.ts'],
    isHeldOut: true,
  },
  {
    ...TYPESCRIPT,
    controller: 'releases',
    files: [
      'releases/common/api.ts',
      'releases/common/claim.ts',
      'releases/common/deployment.ts',
      'releases/common/run.ts',
      'releases/common/status.ts',
      'releases/correct/controller.ts',
      // Shared files are mutated only once, here.
      'lib/controller.ts',
      'lib/errors.ts',
      'lib/informer.ts',
      'lib/retry.ts',
      'lib/work-queue.ts',
    ],
  },
  {
    ...TYPESCRIPT,
    controller: 'worker-pools',
    files: [
      'worker-pools/common/api.ts',
      'worker-pools/common/pods.ts',
      'worker-pools/common/run.ts',
      'worker-pools/common/status.ts',
      'worker-pools/common/take-over.ts',
      'worker-pools/correct/controller.ts',
    ],
  },
  {
    controller: 'go',
    language: 'go',
    files: ['go/common/reconciler.go', 'go/common/run.go', 'go/correct/steps.go'],
    beside: [],
    isHeldOut: false,
  },
  {
    controller: 'python',
    language: 'python',
    files: ['python/common/operator.py', 'python/common/topics.py', 'python/correct/steps.py'],
    beside: [],
    isHeldOut: false,
  },
  {
    controller: 'rust',
    language: 'rust',
    files: ['rust/common/backoff.rs', 'rust/common/reconcile.rs', 'rust/common/run.rs', 'rust/correct/mod.rs'],
    beside: [],
    isHeldOut: true,
  },
  {
    controller: 'java',
    language: 'java',
    files: ['java/common/Main.java', 'java/correct/Correct.java'],
    beside: [],
    isHeldOut: false,
  },
];
