/** A vitest fixture: an API server for each test. */
import { test as base, type TestAPI } from 'vitest';
import { startApiServer, type RunningApiServer, type StartOptions } from './running.ts';

export interface ApiServerFixture {
  readonly apiServer: RunningApiServer;
}

/**
 * Returns vitest's `test` with the fixture `apiServer`.
 *
 * @param options - As for `startApiServer`.
 */
export function apiServerTest(options: StartOptions = {}): TestAPI<ApiServerFixture> {
  return base.extend<ApiServerFixture>({
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the required fixtures from the pattern
    apiServer: async ({}, use) => {
      // One server for all tests would save milliseconds, but keep its clock, its listeners and the clients of a failed test.
      await using running = startApiServer(options);
      await use(running);
    },
  });
}
