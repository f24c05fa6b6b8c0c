/**
 * Every check in one word. All of them run, also after one has failed, so that a first failure hides no second one.
 *
 * Arguments go to the tests: `npm test -- harness/gate`. Exit code 1 when any check failed.
 */
import { spawnSync } from 'node:child_process';

/** npm scripts, the quick ones first. */
const WORDS = ['format:check', 'lint', 'types', 'layers', 'tidy', 'licences', 'test:unit'];
const TESTS = 'test:unit';

const results = WORDS.map((word) => {
  const began = Date.now();
  const args = word === TESTS ? ['--', ...process.argv.slice(2)] : [];
  const { status } = spawnSync('npm', ['run', '--silent', word, ...args], { stdio: 'inherit' });
  const seconds = ((Date.now() - began) / 1000).toFixed(1).padStart(6);
  return { ok: status === 0, line: `${status === 0 ? 'ok    ' : 'FAILED'} ${seconds} s  ${word}` };
});

console.log(`\n${results.map(({ line }) => line).join('\n')}`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
