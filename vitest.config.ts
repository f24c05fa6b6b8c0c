import { configDefaults, defineConfig } from 'vitest/config';

/** What knows neither targets nor time: their tests import the same modules again and again, which takes longer than they do. */
const KERNEL = '{harness/{model,wire,apiserver,gate,schedule,oracle,report},properties}/**/*.test.ts';

/**
 * One process per test file (`forks`, isolated): a file that installs virtual time, loads a target module or starts a program
 * leaves nothing behind for the next. Those of the kernel share theirs. Two at a time, so that timings mean the same on a laptop and on a
 * small CI machine.
 */
export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'kernel', include: [KERNEL], isolate: false } },
      {
        extends: true,
        test: {
          name: 'others',
          include: ['{harness,controllers-under-test,scripts}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, KERNEL],
          isolate: true,
        },
      },
    ],
    globalSetup: ['scripts/test-scratch.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Tests of one file that run side by side each have a worker thread that keeps a core busy.
    maxConcurrency: 3,
    // What a run finds is asked of a real server where one is found: tests say themselves when they mean that.
    env: { STALEMATE_CONFIRM: 'none' },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    coverage: {
      provider: 'v8',
      include: ['harness/**/*.ts', 'properties/**/*.ts', 'scripts/**/*.ts'],
      exclude: ['**/*.test.ts', 'harness/test/**'],
      reporter: ['text-summary', 'html'],
    },
  },
});
