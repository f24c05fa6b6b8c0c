/**
 * Tests that `npm test` leaves out: whole campaigns and the command line end to end, which take half of the time of all tests. `npm run
 * test:long` runs them, and so does CI.
 */
export const LONG_TESTS: readonly string[] = [
  'harness/test/wrong-variants-are-caught.test.ts',
  'harness/cli/existing-project.test.ts',
  'scripts/kill-harness.test.ts',
  'harness/test/process-targets.test.ts',
  'harness/cli/corpus.test.ts',
  'harness/test/bad-targets.test.ts',
  'harness/test/ci-against-base.test.ts',
  'harness/test/correct-controllers-hold.test.ts',
  'harness/test/corpus-page.test.ts',
  'harness/cli/existing.test.ts',
  'harness/test/vitest-integration.test.ts',
  'harness/test/secrets-stay-behind.test.ts',
  'harness/cli/soak/soak.test.ts',
  'harness/cli/waivers.test.ts',
  'harness/test/long-times.test.ts',
  'harness/test/pods-that-answer.test.ts',
  'harness/test/rotator.test.ts',
];
