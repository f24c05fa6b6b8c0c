import { defineConfig, type ViteUserConfig } from 'vitest/config';

/**
 * The suite of `npm run test:kind`: one test at a time, because each has its own cluster. See `scripts/test-kind.ts` for its requirements.
 */
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
