/**
 * Decides whether findings are new or old: replays them on the build from before the change.
 *
 * Owns: the base build, and what its replays mean. An undecided finding counts as new: a base build that no longer starts does not excuse
 * the finding.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { realNow } from '../determinism/real-time.ts';
import type { ExistingAccess } from '../clusters/existing/access.ts';
import { resolveCommand } from '../execution/config/process-target.ts';
import type { RunConfig } from '../execution/config/run-config.ts';
import type { Counterexample, CounterexampleTarget } from '../model/counterexample.ts';
import { HarnessError } from '../model/errors.ts';
import type { Finding, OnBase } from '../model/finding.ts';
import { becauseOf, untriedText } from '../report/symptoms.ts';
import { fileStem } from '../report/title.ts';
import { usage } from './arguments.ts';
import { replay, type ReplayContext } from './library.ts';
import { shellWords } from './shell-words.ts';

/** Flags that select the build before the change. */
export interface BaseFlags {
  readonly baseCommand?: string;
  readonly baseTarget?: string;
}

export type BaseBuild = (target: CounterexampleTarget) => CounterexampleTarget;

/** Number of replays. A module replays exactly; a program may reproduce a finding only in some of its replays. */
const TIMES = { module: 2, command: 5 } as const;

/**
 * Returns a function that replaces the target of a counterexample with the base build.
 *
 * @throws {USAGE} {TARGET_INVALID} before anything runs.
 */
export function baseBuild(
  { baseCommand, baseTarget }: BaseFlags,
  config: RunConfig,
  cwd: string,
): BaseBuild | undefined {
  if (baseCommand !== undefined && baseTarget !== undefined) {
    throw usage(
      'got both --base-command and --base-target, expected one: --base-command for a program, --base-target for a module; leave the other out',
    );
  }
  if (baseTarget !== undefined) {
    if (config.target === '') throw usage('got --base-target for a target that is a program, expected --base-command');
    if (!existsSync(resolve(cwd, baseTarget))) {
      throw usage(
        `got --base-target "${baseTarget}", expected a module; there is nothing at "${resolve(cwd, baseTarget)}"`,
      );
    }
    return (target) => ('module' in target ? { ...target, module: baseTarget } : target);
  }
  if (baseCommand === undefined) return undefined;
  const { process } = config;
  if (process === null || config.target !== '') {
    throw usage('got --base-command for a target that is a module, expected --base-target');
  }
  if (process.inCluster)
    throw usage(
      'got --base-command for a target that is an image, expected a program: images are not compared yet; leave it out',
    );
  const words = wordsOf(baseCommand);
  // A command without arguments gets the arguments of the target.
  const command = words.length === 1 ? [...words, ...process.command.slice(1)] : words;
  resolveCommand({ command, directory: process.cwd, env: {} });
  return (target) => ('command' in target ? { ...target, command } : target);
}

function wordsOf(text: string): readonly string[] {
  const parsed = shellWords(text);
  if ('unclosed' in parsed)
    throw usage(
      `got --base-command ${JSON.stringify(text)}, in which a ${parsed.unclosed} is not closed, expected words as in a shell; close it, or write \\${parsed.unclosed}`,
    );
  const [program = ''] = parsed.words;
  if (program === '') throw usage(`got --base-command "${text}", expected a program`);
  return parsed.words;
}

export interface BaseContext extends ReplayContext {
  /** Real time at which all replays end; findings that have no result at that time count as new. If absent, there is no limit. */
  readonly until?: number;
  readonly print: (text: string) => void;
}

/** Returns a replay context like that of the target: the same cluster, environment variables and toxiproxy server. */
export function replayLike(config: RunConfig): ReplayContext {
  const { cwd, configFile, process, existing, kind, kindAccess, toxiproxy, reportDir } = config;
  return {
    cwd,
    reportDir,
    kind,
    env: process?.env ?? {},
    network: process?.network ?? 'none',
    fileSystem: process?.fileSystem ?? 'own',
    ...(process === null ? {} : { time: process.time }),
    ...(configFile === null ? {} : { configFile }),
    ...(kindAccess === undefined ? {} : { kindAccess }),
    ...(toxiproxy === null ? {} : { toxiproxy }),
    ...(existing === null ? {} : { existing: choiceOf(existing) }),
  };
}

/** Returns the cluster that the options select. */
function choiceOf({
  kubeconfig,
  context,
  allowed,
  clusters,
  writes,
  prefix,
}: ExistingAccess): NonNullable<ReplayContext['existing']> {
  return {
    kubeconfig,
    context,
    allowContexts: allowed,
    allowClusters: clusters,
    namespacePrefix: prefix,
    allowClusterWrites: writes,
  };
}

/** Divides the remaining time equally: a finding that needs less time leaves more for the rest, and no finding can use all of it. */
export function shareOf(leftMs: number, findings: number): number {
  return Math.floor(leftMs / Math.max(1, findings));
}

/** Adds the result of the base build to each finding, and prints it immediately. */
export async function judgeOnBase(
  findings: readonly Finding[],
  base: BaseBuild,
  { print, until = Number.POSITIVE_INFINITY, ...context }: BaseContext,
): Promise<readonly Finding[]> {
  const judged: Finding[] = [];
  for (const finding of findings) {
    const leftMs = until - realNow();
    const share = shareOf(leftMs, findings.length - judged.length);
    const { onBase, text } =
      leftMs <= 0
        ? { onBase: 'unknown' as const, text: 'counts as new: the budget was used up before the base build was tried' }
        : await onBaseOf(finding.counterexample, base, {
            ...context,
            ...(Number.isFinite(share) ? { timeMs: share } : {}),
          });
    const { violation, stats } = finding;
    const untried = untriedText({ onBase, ...becauseOf(violation, stats) });
    print(`base build: ${fileStem(violation)} ${text}${untried === undefined ? '' : `; ${untried}`}\n`);
    judged.push({ ...finding, onBase });
  }
  return judged;
}

async function onBaseOf(
  counterexample: Counterexample,
  base: BaseBuild,
  context: Omit<BaseContext, 'print'>,
): Promise<{ readonly onBase: OnBase; readonly text: string }> {
  const target = base(counterexample.target);
  const times = 'command' in target ? TIMES.command : TIMES.module;
  const unknown = (why: string): { readonly onBase: OnBase; readonly text: string } => ({
    onBase: 'unknown',
    text: `counts as new: the base build is inconclusive (${why})`,
  });
  try {
    const result = await replay({ ...counterexample, target }, { ...context, times });
    const { k, n } = result.reproduced;
    if (k > 0) return { onBase: 'fails', text: `is pre-existing: it fails there too, in ${k} of ${n}` };
    const [missed] = result.missedAnchors;
    const why =
      result.inconclusive ?? result.diverged ?? (missed === undefined ? undefined : `never happened: ${missed}`);
    return why === undefined ? { onBase: 'holds', text: `is new: it does not fail there, 0 of ${n}` } : unknown(why);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return unknown(error.message);
  }
}
