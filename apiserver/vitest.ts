/** A vitest fixture: one API server per file, reset for each test. */
import { test as base, type TestAPI } from 'vitest';
import { startApiServer, type RunningApiServer, type StartOptions } from './running.ts';

export interface ApiServerFixture {
  readonly apiServer: RunningApiServer;
}

/**
 * `test` of vitest with the fixture `apiServer`.
 *
 * @param options - As for `startApiServer`.
 */
export function apiServerTest(options: StartOptions = {}): TestAPI<ApiServerFixture> {
  let running: RunningApiServer | undefined;
  return base.extend<ApiServerFixture>({
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the required fixtures from the pattern
    apiServer: async ({}, use) => {
      running ??= startApiServer(options);
      running.reset();
      await use(running);
      await running.close();
    },
  });
}
