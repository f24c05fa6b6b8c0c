import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'harness/**/*.test.ts',
      'properties/**/*.test.ts',
      'scripts/**/*.test.ts',
      'controllers-under-test/**/*.test.ts',
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});
