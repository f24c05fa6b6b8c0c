/**
 * Checks that each test named in the table of docs/security.md fails without the guard that it is about.
 *
 * Works in a scratch copy of the repository: first runs all named tests unchanged, which must pass; then removes each guard with an edit,
 * and the tests of that guard must run and fail. Prints a line per guard: "noticed" with the first line of the failure, or "NOT NOTICED".
 * Exit code 1 if one was not noticed, or if a title of the table has no guard in the list.
 *
 *     node scripts/guards.ts [--only TEXT]
 */
import { HarnessError } from '../harness/model/errors.ts';
import { titlesByFile } from '../harness/test/security-table.ts';
import { type Guard, roundsOf, titlesWithoutGuard, withoutGuard } from './guards/guard.ts';
import { GUARDS } from './guards/list.ts';
import { ScratchCopy, type TitleResult } from './guards/scratch-copy.ts';
import { parseFlags, runMain } from './run-main.ts';

const WHY_MAX = 120;
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** The exit code that shells use for a program ended by an interrupt. */
const INTERRUPTED = 130;

const { values: flags } = parseFlags({ options: { only: { type: 'string', default: '' } } });

function chosenGuards(only: string): readonly Guard[] {
  const chosen = GUARDS.filter(({ name, file, noticedBy }) =>
    [name, file, ...noticedBy].some((text) => text.includes(only)),
  );
  if (chosen.length > 0) return chosen;
  const names = GUARDS.map(({ name }) => name).join('", "');
  throw new HarnessError(
    'USAGE',
    `got --only "${only}", expected part of a name, a file or a title; names: "${names}"`,
  );
}

/** Returns a sentence for each test that proves nothing, because it does not pass with all guards in place. */
async function unsound(copy: ScratchCopy, guards: readonly Guard[]): Promise<readonly string[]> {
  const titles = new Map<string, Set<string>>();
  for (const { noticedBy } of guards) {
    const [file, ...own] = noticedBy;
    titles.set(file, new Set([...(titles.get(file) ?? []), ...own]));
  }
  const problems: string[] = [];
  for (const [file, own] of titles) {
    const results = await copy.test(file, [...own]);
    if (results === undefined) problems.push(`${file} gave no results`);
    for (const { title, passed, failed, why } of results ?? []) {
      if (failed > 0) problems.push(`${file}: "${title}" fails with all guards in place: ${shortened(why)}`);
      else if (passed === 0) problems.push(`${file}: "${title}" did not run here: its condition says what it needs`);
    }
  }
  return problems;
}

/** Returns the compiler errors of the edits: an edit that does not compile would make any test fail. */
async function uncompiled(copy: ScratchCopy, guards: readonly Guard[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const round of roundsOf(guards)) {
    const texts = new Map(round.map((guard) => [guard.file, withoutGuard(guard, copy.read(guard.file))]));
    const errors = await copy.edited(texts, () => copy.compile());
    for (const error of errors) {
      const guard = round.find(({ file }) => error.startsWith(file));
      problems.push(guard === undefined ? error : `guard "${guard.name}" does not compile without it: ${error}`);
    }
  }
  return problems;
}

/** Tries a guard; `isNoticed` if all of its tests ran and failed without it. */
async function withoutIt(copy: ScratchCopy, guard: Guard): Promise<{ isNoticed: boolean; line: string }> {
  const [file, ...titles] = guard.noticedBy;
  const text = withoutGuard(guard, copy.read(guard.file));
  const results = await copy.edited(new Map([[guard.file, text]]), () => copy.test(file, titles));
  const missed = results?.find(({ failed }) => failed === 0);
  if (results !== undefined && missed === undefined)
    return { isNoticed: true, line: `noticed      ${guard.name}: ${shortened(results[0]?.why ?? '')}` };
  const why = missed === undefined ? `${file} gave no results` : missedText(missed);
  return { isNoticed: false, line: `NOT NOTICED  ${guard.name}: ${why}` };
}

function missedText({ title, passed }: TitleResult): string {
  return `"${title}" ${passed > 0 ? 'passed' : 'did not run'}`;
}

function shortened(text: string): string {
  return text.length > WHY_MAX ? `${text.slice(0, WHY_MAX)}…` : text;
}

async function tried(copy: ScratchCopy, guards: readonly Guard[], signal: AbortSignal): Promise<number> {
  const problems = [...(await unsound(copy, guards)), ...(await uncompiled(copy, guards))];
  if (signal.aborted) return INTERRUPTED;
  if (problems.length > 0) {
    for (const problem of problems) console.error(problem);
    return 1;
  }
  let noticed = 0;
  for (const guard of guards) {
    const { isNoticed, line } = await withoutIt(copy, guard);
    // An interrupt ends the tests early, so the result means nothing.
    if (signal.aborted) return INTERRUPTED;
    console.log(line);
    if (isNoticed) noticed += 1;
  }
  const lacking = titlesWithoutGuard(titlesByFile(), GUARDS);
  for (const title of lacking) console.log(`NO GUARD     ${title}`);
  console.log(`${noticed} of ${guards.length} guards noticed, ${lacking.length} titles of the table without a guard`);
  return noticed === guards.length && lacking.length === 0 ? 0 : 1;
}

async function main(): Promise<void> {
  const guards = chosenGuards(flags.only);
  const stopped = new AbortController();
  for (const signal of STOPPING) process.once(signal, () => stopped.abort());
  const copy = new ScratchCopy(stopped.signal);
  try {
    process.exitCode = await tried(copy, guards, stopped.signal);
  } finally {
    copy.remove();
  }
}

await runMain(main);
