/**
 * Checks that a budget is a bound: runs campaigns on the controllers under test, as a user starts them, and measures each from start to
 * exit.
 *
 * Prints a line per campaign: wall time ÷ budget, and how many of its findings were shrunk and reproduced. `--json FILE` appends a line of
 * JSON for each, so that two versions can be compared. Build the Go programs first (`node scripts/controllers.ts build go`). Exit code 1 if
 * a campaign took more than 1.5 times its budget, or fewer than 95 % of the findings were shrunk and reproduced.
 *
 *     node scripts/check-budget.ts [--modules 10s] [--programs 20s] [--seed 1] [--only TEXT] [--json FILE]
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Summary, SummaryFinding } from '../harness/report/summary.ts';
import { budgetMs } from './budget.ts';
import { controllers, type ControllerUnderTest, nameOf, optionsFor, some } from './catalogue.ts';
import { wholeNumber } from './whole-number.ts';
import { parseFlags, runMain } from './run-main.ts';

const BIN = fileURLToPath(new URL('../harness/cli/bin.mjs', import.meta.url));
/** The maximum duration of a campaign, as a multiple of its budget. */
const BOUND = 1.5;
/** The minimum share of findings that are shrunk and reproduced within the budget. */
const PROVED_MIN = 0.95;

interface Line {
  readonly name: string;
  readonly budget: string;
  readonly seed: number;
  readonly wallMs: number;
  readonly ratio: number;
  readonly exit: number | null;
  readonly runs: number;
  readonly findings: readonly {
    readonly signature: string;
    readonly shrunk: boolean;
    readonly proved: boolean;
    readonly size: number;
    readonly reproduced: string;
  }[];
  readonly errors: string;
}

const { values: flags } = parseFlags({
  options: {
    modules: { type: 'string', default: '10s' },
    programs: { type: 'string', default: '20s' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});

function main(): void {
  const chosen = controllers.filter(
    (entry) => (entry.module !== undefined || entry.language === 'go') && nameOf(entry).includes(flags.only),
  );
  const seed = wholeNumber('--seed', flags.seed);
  const lines: Line[] = [];
  for (const entry of some(chosen, [flags.only])) {
    const line = campaign(entry, entry.module === undefined ? flags.programs : flags.modules, seed);
    lines.push(line);
    const { findings } = line;
    const done = findings.filter(({ shrunk, proved }) => shrunk && proved).length;
    console.log(
      `${line.ratio.toFixed(2)} × ${line.budget}  ${line.name}: exit ${line.exit}, ${line.runs} runs, ${done} of ${findings.length} findings shrunk and proved`,
    );
    if (flags.json !== undefined) appendFileSync(flags.json, `${JSON.stringify(line)}\n`);
  }
  const over = lines.filter(({ ratio }) => ratio > BOUND);
  const found = lines.flatMap(({ findings }) => findings);
  const proved = found.filter((finding) => finding.shrunk && finding.proved);
  console.log(
    `${lines.length} campaigns, at most ${Math.max(0, ...lines.map(({ ratio }) => ratio)).toFixed(2)} × the budget, ${over.length} above ${BOUND}; ` +
      `${proved.length} of ${found.length} findings shrunk and proved`,
  );
  process.exitCode = over.length === 0 && proved.length >= PROVED_MIN * found.length ? 0 : 1;
}

/** Runs one campaign in a folder of its own, from start to exit. */
function campaign(entry: ControllerUnderTest, budget: string, seed: number): Line {
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-budget-'));
  try {
    writeFileSync(join(folder, 'stalemate.config.yaml'), JSON.stringify(optionsFor(entry)));
    const began = performance.now();
    const words = ['run', '--config', 'stalemate.config.yaml', '--budget', budget, '--seed', String(seed), '--json'];
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...words], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    const wallMs = Math.round(performance.now() - began);
    const summary = read(stdout);
    return {
      ...{ name: nameOf(entry), budget, seed, wallMs, ratio: wallMs / budgetMs(budget), exit: status },
      runs: summary?.runs ?? 0,
      findings: (summary?.findings ?? []).map(findingLine),
      errors: summary === undefined ? stderr.slice(-500) : '',
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(stdout: string): Summary | undefined {
  try {
    return JSON.parse(stdout) as Summary;
  } catch {
    return undefined;
  }
}

function findingLine(finding: SummaryFinding): Line['findings'][number] {
  const { signature, executions, reproduced, preemptions, holds, faults } = finding;
  const { k, n } = reproduced;
  return {
    signature,
    // A finding that kills its worker is never shrunk: each attempt would cost a worker.
    shrunk: executions > 1 || finding.property === 'survival',
    proved: k > 0 && (n > 1 || finding.property === 'survival'),
    size: preemptions + holds + faults,
    reproduced: `${k}/${n}`,
  };
}

await runMain(main);
