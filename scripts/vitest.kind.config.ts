import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** The suite of `npm run test:kind`: one test at a time, for each has a cluster of its own; `scripts/test-kind.ts` says where it can run. */
const config: ViteUserConfig = defineConfig({
  test: {
    include: ['harness/**/*.kind.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});

export default config;
