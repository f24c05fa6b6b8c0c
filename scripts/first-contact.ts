/**
 * First contact: public operators as published, from a clone to a verdict with only `stalemate init`.
 *
 *   node scripts/first-contact.ts draw                     prints which operators of the list are in the sample
 *   node scripts/first-contact.ts try [NAME …] [--budget 3m] [--seed N]
 *   node scripts/first-contact.ts check [NAME …] [--budget 40s]
 *   node scripts/first-contact.ts table                    writes docs/track-record.md from the stored results
 *
 * `try` fetches each project from its registry, runs what a user would type there (`stalemate init --yes`; if that asks for another command
 * first, that command and `init` again), stores the result next to the list and writes the table. `check` stores nothing: it fails (exit
 * code 1) if one of a few projects, or of the named ones, no longer gets to runs. Needs the toolchain of each project.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT, HarnessError } from '../harness/model/errors.ts';
import { cacheFolder } from './cache-folder.ts';
import { drawn, readRepositories, type Repository } from './first-contact/repositories.ts';
import {
  figuresIn,
  findingsIn,
  isUseful,
  keepResult,
  saidIn,
  writePage,
  type Result,
} from './first-contact/results.ts';
import { sourcesOf } from './first-contact/sources.ts';
import { parseFlags, runMain } from './run-main.ts';

const STALEMATE = fileURLToPath(new URL('../harness/cli/bin.mjs', import.meta.url));
/** Enough time for a build, the attempts before the first campaign, and a campaign. */
const LIMIT_MS = 1_500_000;

const { positionals, values } = parseFlags({
  allowPositionals: true,
  options: { budget: { type: 'string' }, seed: { type: 'string', default: '1' } },
});

interface Ended {
  readonly exit: number | undefined;
  readonly output: string;
}

function runShown(command: string, cwd: string, log: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', `exec 2>&1; ${command}`], {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: LIMIT_MS,
    });
    const file = createWriteStream(log, { flags: 'a' });
    file.write(`$ ${command}\n`);
    child.stdout.pipe(file);
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ exit: code ?? undefined, output: readFileSync(log, 'utf8') });
    });
  });
}

/** Continues as a user would: runs the command that `init` asks for, and then `init` again. */
async function contact(repository: Repository, budget: string): Promise<Result> {
  let folder: string;
  try {
    folder = sourcesOf(repository);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    const { name, version } = repository;
    return { name, version, commands: [], seconds: 0, exit: undefined, ...figuresIn(''), said: error.message };
  }
  const logs = cacheFolder('first-contact', 'logs');
  mkdirSync(logs, { recursive: true });
  const log = join(logs, `${repository.name}-${new Date().toISOString().replaceAll(':', '')}.log`);
  console.log(`   log: ${log}`);
  const began = performance.now();
  const init = `stalemate init --yes --budget ${values.budget ?? budget} --seed ${values.seed}`;
  const asRun = (command: string): string => command.replace(/^stalemate/, `'${process.execPath}' '${STALEMATE}'`);
  const commands = [init];
  let ended = await runShown(asRun(init), folder, log);
  const first = /^first {3}(.+)$/m.exec(ended.output)?.[1];
  if (first !== undefined) {
    for (const command of [first, `${init} --force`]) {
      commands.push(command);
      ended = await runShown(asRun(command), folder, log);
    }
  }
  return {
    name: repository.name,
    version: repository.version,
    commands,
    seconds: Math.round((performance.now() - began) / 1000),
    exit: ended.exit,
    ...figuresIn(ended.output),
    said: saidIn(ended.output),
    findings: findingsIn(ended.output),
  };
}

const all = readRepositories();
const chosen = drawn(all);

function named(names: readonly string[]): readonly Repository[] {
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new HarnessError('USAGE', `got "${unknown}", expected names of controllers-under-test/first-contact`);
  return names.flatMap((name) => all.filter((one) => one.name === name));
}

async function tryAll(names: readonly string[]): Promise<void> {
  for (const repository of names.length === 0 ? chosen : named(names)) {
    console.log(`\n== ${repository.name} ${repository.version}`);
    const result = await contact(repository, '3m');
    keepResult(result);
    writePage(chosen);
    console.log(`   exit ${result.exit ?? 'none'}, ${result.seconds} s, ${result.runs} runs: ${result.said}`);
    console.log(isUseful(result) ? '   useful' : '   no useful verdict');
  }
}

/** Projects that build within a minute or two, and led to a verdict when this was written. */
const CHECKED: readonly string[] = ['flagger', 'k6-operator', 'node-feature-discovery'];
/** Enough for a busy machine to get through the undisturbed runs, which come first and count towards the budget. */
const CHECKED_BUDGET = '40s';

async function checkAll(names: readonly string[]): Promise<boolean> {
  const failed: string[] = [];
  for (const repository of named(names.length === 0 ? CHECKED : names)) {
    console.log(`\n== ${repository.name} ${repository.version}`);
    const { exit, runs, seconds, said } = await contact(repository, CHECKED_BUDGET);
    console.log(`   exit ${exit ?? 'none'}, ${seconds} s, ${runs} runs: ${said}`);
    // Whether there is time for a verdict depends on the machine.
    const isGood = (exit === EXIT.holds || exit === EXIT.violated || exit === EXIT.inconclusive) && runs > 0;
    if (!isGood) failed.push(repository.name);
  }
  if (failed.length > 0) console.error(`\nno runs: ${failed.join(', ')}`);
  return failed.length === 0;
}

await runMain(async () => {
  const [what, ...names] = positionals;
  if (what === 'draw')
    for (const { name, version, language } of chosen) console.log(`${name} ${version} (${language})`);
  else if (what === 'table') writePage(chosen);
  else if (what === 'try') await tryAll(names);
  else if (what === 'check') process.exitCode = (await checkAll(names)) ? 0 : 1;
  else throw new HarnessError('USAGE', `got "${what ?? ''}", expected draw, try, check or table`);
});
