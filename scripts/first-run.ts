/**
 * Measures how long a new user waits: clones each project layout and runs `stalemate init` in it, in a temporary folder.
 *
 * `node scripts/first-run.ts [--only NAME] [--keep]`. Exit code 1 if one takes more than four minutes or four commands including the clone,
 * or ends without a verdict. Skips layouts whose program is missing, with a message. `--keep` keeps the folders.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realNow } from '../harness/determinism/real-time.ts';
import { SHAPES, type Shape } from './first-run/projects.ts';
import { parseFlags } from './run-main.ts';

const STALEMATE = fileURLToPath(new URL('../harness/cli/bin.mjs', import.meta.url));
/** A build, and a first run of at most two minutes. */
const SECONDS_MAX = 240;
const COMMANDS_MAX = 4;

const { values } = parseFlags({ options: { only: { type: 'string' }, keep: { type: 'boolean' } } });

interface Trial {
  readonly commands: number;
  readonly seconds: number;
  readonly code: number;
}

function run(command: readonly string[], cwd: string): number {
  const [program = '', ...args] = command;
  process.stdout.write(`$ ${program === process.execPath ? 'npx stalemate init' : command.join(' ')}\n`);
  return spawnSync(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1;
}

function quietly(command: readonly string[], cwd: string): void {
  const [program = '', ...args] = command;
  spawnSync(program, args, { cwd, stdio: 'ignore' });
}

function firstRun(shape: Shape, folder: string): Trial {
  const origin = join(folder, 'origin');
  shape.write(origin);
  quietly(['git', 'init', '--quiet'], origin);
  quietly(['git', 'add', '--all'], origin);
  quietly(
    ['git', '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'A controller'],
    origin,
  );
  const project = join(folder, 'project');
  const started = realNow();
  const commands = [
    ['git', 'clone', '--quiet', origin, project],
    ...shape.install,
    [process.execPath, STALEMATE, 'init', '--seed', '1'],
  ] as const;
  let code = 0;
  for (const command of commands) {
    code = run(command, command[0] === 'git' ? folder : project);
    if (code !== 0) break;
  }
  return { commands: commands.length, seconds: Math.round((realNow() - started) / 1000), code };
}

const lines: string[] = [];
let failed = false;
for (const shape of SHAPES.filter(({ name }) => values.only === undefined || values.only === name)) {
  if (spawnSync(shape.needs, ['--version']).error !== undefined) {
    lines.push(`${shape.name}: skipped, "${shape.needs}" is not installed`);
    continue;
  }
  process.stdout.write(`\n== ${shape.name}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-first-run-'));
  try {
    const { commands, seconds, code } = firstRun(shape, folder);
    const isGood = code <= 1 && seconds <= SECONDS_MAX && commands <= COMMANDS_MAX;
    failed ||= !isGood;
    lines.push(`${isGood ? '✓' : '✗'} ${shape.name}: exit code ${code} after ${seconds} s, ${commands} commands`);
  } finally {
    if (values.keep === true) lines.push(`  kept in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}
process.stdout.write(`\n${lines.join('\n')}\n`);
process.exitCode = failed ? 1 : 0;
