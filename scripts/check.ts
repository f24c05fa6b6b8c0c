/**
 * Runs all checks, even after one has failed, so that all failures are reported.
 *
 * Arguments go to the tests: `npm test -- harness/gate`. Long tests are left out (`npm run test:long` runs them), unless an argument names
 * a path. Exit code 1 if a check failed.
 */
import { spawnSync } from 'node:child_process';

const given = process.argv.slice(2);
const TESTS = given.some((argument) => !argument.startsWith('-')) ? 'test:all' : 'test:unit';
/** npm scripts, the fast ones first. */
const WORDS = ['format:check', 'lint', 'types', 'layers', 'tidy', 'licences', TESTS];

const results = WORDS.map((word) => {
  const began = Date.now();
  const args = word === TESTS ? ['--', ...given] : [];
  const { status } = spawnSync('npm', ['run', '--silent', word, ...args], { stdio: 'inherit' });
  const seconds = ((Date.now() - began) / 1000).toFixed(1).padStart(6);
  return { ok: status === 0, line: `${status === 0 ? 'ok    ' : 'FAILED'} ${seconds} s  ${word}` };
});

console.log(`\n${results.map(({ line }) => line).join('\n')}`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
