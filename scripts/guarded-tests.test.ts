import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countTests, patternOf, skippedTests } from './guarded-tests.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';

const tests = (...statuses: readonly string[]): { readonly fullName: string; readonly status: string }[] =>
  statuses.map((status, n) => ({ fullName: `test ${n}`, status }));

it('returns the skipped tests by file in this repository, from results of any clone', () => {
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

it('refuses results of files outside this repository', () => {
  const results = [{ name: '/elsewhere/other.test.ts', assertionResults: tests('skipped') }];

  expect(() => skippedTests({ testResults: results })).toThrow('"/elsewhere/other.test.ts"');
});

it('counts a test once even if it ran twice, as failed if it failed in any run', () => {
  const bare = [
    { name: '/elsewhere/clone/scripts/tour.ts', assertionResults: tests('passed', 'skipped', 'passed') },
    { name: '/elsewhere/clone/harness/index.ts', assertionResults: [...tests('passed'), ...tests('passed')] },
  ];
  const later = [
    { name: join(REPOSITORY_ROOT, 'scripts/tour.ts'), assertionResults: tests('passed', 'passed', 'failed') },
  ];

  expect(countTests([{ testResults: bare }, { testResults: later }])).toEqual({ passed: 4, failed: 1 });
});

it('makes a pattern that matches only the given titles, whatever characters they have', () => {
  const title = 'a group [1/2] costs $5.00 (a+b)?';
  const pattern = new RegExp(patternOf(['other', title]));

  expect([title, 'a group > [1/2] costs $5.00 (a+b)?'].map((text) => pattern.test(text))).toEqual([true, true]);
  expect(['another one', title.replace('.', 'x')].map((text) => pattern.test(text))).toEqual([false, false]);
});
