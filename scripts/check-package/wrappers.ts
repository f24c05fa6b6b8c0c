/** Tests the archive under `go test` and pytest: a correct controller passes, and a wrong one fails a subtest with its story. */
import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { expectText, GO_FLAGS, GO_WRONG, goRepository, LeftOut, standaloneProgram, step } from './steps.ts';

const CASES = {
  Correct: ['correct', '--budget', '15'],
  Wrong: [GO_WRONG.variant, '--budget', '100', '--stop-after', '1'],
};
const { property, title } = GO_WRONG;

export async function checkGoTest(scratch: string): Promise<void> {
  await goRepository(scratch);
  for (const name of ['go.mod', 'stalemate.go']) cpSync(join(REPOSITORY_ROOT, 'ci', 'go', name), join(scratch, name));
  const tests = Object.entries(CASES).map(
    ([name, [variant, ...flags]]) =>
      `func Test${name}(t *testing.T) {\n\tRun(t, Options{Args: []string{${quoted([...GO_FLAGS, ...flags])}}, Command: []string{"./bin/manager", "${variant}"}})\n}\n`,
  );
  writeFileSync(join(scratch, 'contention_test.go'), `package stalemate\n\nimport "testing"\n\n${tests.join('\n')}`);
  const { out } = step(['go', 'test', '-v', '-timeout', '15m', '.'], scratch, {
    codes: [1],
    env: { STALEMATE: standaloneProgram() },
  });
  expectText(out, /^--- PASS: TestCorrect /m, 'go test');
  expectText(out, new RegExp(`^    --- FAIL: TestWrong/${property} `, 'm'), 'go test');
  expectText(out, title, 'go test');

  const absent = step(['go', 'test', '-run', 'Correct', '.'], scratch, {
    codes: [1],
    env: { STALEMATE: 'no-such-program' },
  });
  expectText(absent.out, /STALEMATE names the program/, 'go test without stalemate');
}

export async function checkPytest(scratch: string): Promise<void> {
  if (spawnSync('python3', ['-c', 'import venv']).status !== 0) throw new LeftOut('there is no python3 with venv');
  await goRepository(scratch);
  step(['python3', '-m', 'venv', 'venv'], scratch);
  cpSync(join(REPOSITORY_ROOT, 'ci', 'python'), join(scratch, 'plugin'), { recursive: true });
  step(['venv/bin/pip', 'install', '--quiet', './plugin'], scratch);
  const tests = Object.entries(CASES).map(
    ([name, [variant, ...flags]]) =>
      `def test_${name.toLowerCase()}(stalemate):\n    stalemate(${quoted([...GO_FLAGS, ...flags])}, command=["./bin/manager", "${variant}"])\n`,
  );
  writeFileSync(join(scratch, 'test_contention.py'), tests.join('\n\n'));
  const { out } = step(['venv/bin/pytest', 'test_contention.py'], scratch, {
    codes: [1],
    env: { STALEMATE: standaloneProgram() },
  });
  expectText(out, new RegExp(`SUBFAILED\\[${property}\\] test_contention.py::test_wrong`), 'pytest');
  expectText(out, /1 passed/, 'pytest');
  expectText(out, title, 'pytest');

  const absent = step(['venv/bin/pytest', '--stalemate=no-such-program', '-k', 'correct'], scratch, { codes: [1] });
  expectText(absent.out, /--stalemate or STALEMATE names the program/, 'pytest without stalemate');
}

function quoted(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(', ');
}
