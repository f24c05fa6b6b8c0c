/** The claim: `stalemate ci` fails for bugs that a change introduced, and not for those that the base build has too. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { baseBuild, judgeOnBase } from '../cli/base-build.ts';
import { stalemate, type BinResult } from '../cli/test-bin.ts';
import { resolveRun, run, type StalemateOptions } from '../index.ts';
import { summarySchema } from '../report/summary.ts';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const RELEASES = 'controllers-under-test/releases';
const WRONG = file(`${RELEASES}/refreshes-version-only/controller.ts`);
const CORRECT = file(`${RELEASES}/correct/controller.ts`);
const PROGRAM = file('harness/test/targets/takes-finalizers.mjs');

const ONLY = ['--property', 'no-lost-update', '--stop-after', '1', '--budget', '400'];
const MODULE = ['ci', '--crds', file(`${RELEASES}/crd.yaml`), '--sample', file(`${RELEASES}/sample.yaml`), ...ONLY];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-ci-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function ci(args: readonly string[], env: { readonly [name: string]: string } = {}): BinResult {
  return stalemate(args, { cwd: folder, env: { GITHUB_ACTIONS: '', GITHUB_STEP_SUMMARY: '', ...env } });
}

describe('a module', { timeout: 120_000 }, () => {
  const wrong = [...MODULE, '--target', WRONG, '--seed', '11'];

  it('that was wrong before passes, and all reports say why', () => {
    const summary = join(folder, 'step.md');
    const { code, stdout, stderr } = ci([...wrong, '--base-target', WRONG, '--json'], {
      GITHUB_ACTIONS: 'true',
      GITHUB_STEP_SUMMARY: summary,
    });

    expect(summarySchema.parse(JSON.parse(stdout))).toMatchObject({
      outcome: 'holds',
      findings: [{ onBase: 'fails' }],
    });
    expect(stderr).toMatch(/base build: lost-update-\w+ is pre-existing: it fails there too, in 2 of 2/);
    expect(stderr).toMatch(/^::warning .*pre-existing: it fails on the base build too/m);
    expect(readFileSync(summary, 'utf8')).toContain('## stalemate: ✅ nothing new fails');
    expect(readFileSync(join(folder, '.stalemate/junit.xml'), 'utf8')).toContain('failures="0" errors="0"');
    expect(code).toBe(0);
  });

  it('that was right before fails', () => {
    const { code, stdout } = ci([...wrong, '--base-target', CORRECT]);

    expect(stdout).toMatch(/base build: lost-update-\w+ is new: it does not fail there, 0 of 2/);
    expect(stdout).toContain('junit: .stalemate/junit.xml');
    expect(code).toBe(1);
  });

  it('is searched in the same way each time, without a seed', () => {
    const { stdout } = ci([...MODULE, '--target', CORRECT, '--budget', '20', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({ seed: 1 });
  });

  it.each([
    [['--base-target', 'no.ts'], 'got --base-target "no.ts", expected a module'],
    [['--base-command', './manager'], 'got --base-command for a target that is a module, expected --base-target'],
    [['--base-command', 'a', '--base-target', 'b'], 'got both --base-command and --base-target'],
  ])('refuses %j before anything runs', (args, message) => {
    const { code, stdout, stderr } = ci([...wrong, ...args]);

    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

describe('a program', { timeout: 180_000 }, () => {
  it('that was wrong before is not new; with a base that does not start, it is', async () => {
    const options: StalemateOptions = {
      command: [process.execPath, PROGRAM],
      crds: [file('harness/test/targets/crd.yaml')],
      samples: [file('harness/test/targets/sample.yaml')],
      writers: { 'spec-churn': false, 'status-writer': false, 'scale-writer': false, recreator: false },
      faults: { fail: false, refuse: false, 'lose-response': false, crash: false, 'stale-list': false },
    };
    const only = { properties: ['no-lost-update'], stopAfter: 1, budget: 300, seed: 1 };
    const { findings } = await run({ ...options, ...only }, { cwd: folder, shrinkMs: 1_000 });
    const config = resolveRun(options, { cwd: folder });
    const said: string[] = [];
    const against = async (baseCommand: string): Promise<readonly unknown[]> => {
      const build = baseBuild({ baseCommand }, config, folder) ?? ((target) => target);
      const judged = await judgeOnBase(findings, build, { print: (text) => said.push(text) });
      return judged.map(({ onBase }) => onBase);
    };

    expect(await against(process.execPath)).toEqual(['fails']);
    expect(await against(`"${process.execPath}" --eval 'process.exit(3)'`)).toEqual(['unknown']);
    expect(said[0]).toMatch(/ is pre-existing: it fails there too, in [1-5] of 5\n/);
    expect(said[1]).toMatch(/ counts as new: the base build is inconclusive \(/);
  });
});
