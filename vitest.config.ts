import { defineConfig } from 'vitest/config';

/**
 * One process per test file (`forks`, isolated): a file that installs virtual time, loads a target module or starts servers
 * leaves nothing behind for the next. Two at a time, so that timings mean the same on a laptop and on a small CI machine.
 */
export default defineConfig({
  test: {
    include: ['{harness,properties,controllers-under-test,scripts}/**/*.test.ts'],
    pool: 'forks',
    isolate: true,
    maxWorkers: 2,
    // Tests of one file that run side by side each have a worker thread that keeps a core busy.
    maxConcurrency: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    coverage: {
      provider: 'v8',
      include: ['harness/**/*.ts', 'properties/**/*.ts', 'scripts/**/*.ts'],
      exclude: ['**/*.test.ts', 'harness/test/**'],
      reporter: ['text-summary', 'html'],
    },
  },
});
