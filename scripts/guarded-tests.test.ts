import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countTests, skippedTests } from './guarded-tests.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';

const tests = (...statuses: readonly string[]): { readonly fullName: string; readonly status: string }[] =>
  statuses.map((status, n) => ({ fullName: `test ${n}`, status }));

it('names the tests that did not run, by their file in this repository, whichever clone they were run in', () => {
  const results = [
    { name: '/elsewhere/clone/scripts/tour.ts', assertionResults: tests('passed', 'skipped', 'pending') },
    { name: join(REPOSITORY_ROOT, 'harness', 'index.ts'), assertionResults: tests('todo') },
    { name: '/elsewhere/clone/harness/vitest.ts', assertionResults: tests('passed', 'failed') },
  ];

  expect([...skippedTests({ testResults: results })]).toEqual([
    ['scripts/tour.ts', ['test 1', 'test 2']],
    ['harness/index.ts', ['test 0']],
  ]);
});

it('refuses results of files that are not of this repository', () => {
  const results = [{ name: '/elsewhere/other.test.ts', assertionResults: tests('skipped') }];

  expect(() => skippedTests({ testResults: results })).toThrow('"/elsewhere/other.test.ts"');
});

it('counts each test once, however often it ran, and one that failed anywhere as failed', () => {
  const bare = [
    { name: '/elsewhere/clone/scripts/tour.ts', assertionResults: tests('passed', 'skipped', 'passed') },
    { name: '/elsewhere/clone/harness/index.ts', assertionResults: [...tests('passed'), ...tests('passed')] },
  ];
  const later = [
    { name: join(REPOSITORY_ROOT, 'scripts/tour.ts'), assertionResults: tests('passed', 'passed', 'failed') },
  ];

  expect(countTests([{ testResults: bare }, { testResults: later }])).toEqual({ passed: 4, failed: 1 });
});
