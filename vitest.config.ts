import { configDefaults, defineConfig } from 'vitest/config';
import { LONG_TESTS } from './scripts/long-tests.ts';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What knows neither targets nor time: their tests import the same modules again and again, which takes longer than they do. */
const KERNEL =
  '{apiserver/{objects,wire,server},harness/{model,gate,schedule,oracle,report},harness/{actors/writers,cli/init,execution/{config,project}},' +
  'properties,scripts/package}/**/*.test.ts';

/** The longest of the others: started last, one of them would run alone at the end. */
const FIRST: readonly string[] = [
  'harness/cli/bin.test.ts',
  'harness/cli/run.test.ts',
  'harness/cli/bad-files.test.ts',
  'harness/test/envtest-runs.test.ts',
  'harness/test/connection-campaign.test.ts',
  'scripts/connection-clients.test.ts',
  'harness/test/tour-page.test.ts',
  'scripts/mutants/equivalents.test.ts',
  ...LONG_TESTS,
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = FIRST.findIndex((path) => moduleId.endsWith(path));
      return at === -1 ? FIRST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/**
 * One process per test file (`forks`, isolated): a file that installs virtual time, loads a target module or starts a program
 * leaves nothing behind for the next. Those of the kernel share theirs. Six at a time, also on two cores: most tests of programs wait more
 * than they compute.
 */
export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'kernel', include: [KERNEL], isolate: false } },
      {
        extends: true,
        test: {
          name: 'others',
          include: ['{apiserver,harness,controllers-under-test,scripts}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, KERNEL, ...LONG_TESTS],
          isolate: true,
        },
      },
      { extends: true, test: { name: 'long', include: [...LONG_TESTS], isolate: true } },
    ],
    globalSetup: ['scripts/test-scratch.ts'],
    pool: 'forks',
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    // Tests of one file that run side by side each have a worker thread that keeps a core busy.
    maxConcurrency: 3,
    // What a run finds is asked of a real server where one is found: tests say themselves when they mean that.
    env: { STALEMATE_CONFIRM: 'none' },
    // Several times what any of them takes on an idle machine: CI runs other programs beside the tests.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 10_000,
    coverage: {
      provider: 'v8',
      include: ['apiserver/**/*.ts', 'harness/**/*.ts', 'properties/**/*.ts', 'scripts/**/*.ts'],
      exclude: ['**/*.test.ts', 'harness/test/**'],
      reporter: ['text-summary', 'html'],
    },
  },
});
