/**
 * Runs one campaign from configuration to outcome: corpus, search, base build, confirmation on a real server, and all output
 * files.
 */
import { realNow } from '../../determinism/real-time.ts';
import { budgetText } from '../../execution/config/budget.ts';
import type { RunConfig } from '../../execution/config/run-config.ts';
import type { NamedEntry } from '../../model/corpus.ts';
import type { ExitCode } from '../../model/errors.ts';
import type { CampaignResult } from '../../model/finding.ts';
import { outcomeOf } from '../../model/outcome.ts';
import { lockFolder } from '../../report/folder-lock.ts';
import type { Again } from '../../report/left-out.ts';
import { progressLine } from '../../report/progress.ts';
import { recordingOf } from '../../report/record.ts';
import { redactRecording, redactTexts, redactWords } from '../../report/redaction/index.ts';
import type { Vault } from '../../report/redaction/vault.ts';
import { summarise, type Summary } from '../../report/summary.ts';
import { checkFolder } from '../../report/write-files.ts';
import { type BaseBuild, baseBuild, type BaseContext, type BaseFlags, judgeOnBase, replayLike } from '../base-build.ts';
import { budgetsOf, readBaseline, type KeptBaseline } from '../baseline.ts';
import type { RunFlags } from '../commands/run-flags.ts';
import { confirmRun, planConfirmation, withLeft, type ConfirmPlan } from '../confirm.ts';
import { readWholeCorpus } from '../corpus/folder.ts';
import type { CorpusReplay } from '../corpus/replay-first.ts';
import { earlierText, storedFindings } from '../earlier-findings.ts';
import { InconclusiveKeeper } from '../inconclusive-keeper.ts';
import { UnprovedKeeper } from '../unproved-keeper.ts';
import type { CommandContext } from '../command-context.ts';
import { secretSources } from '../../execution/config/secret-sources.ts';
import { scenarioOf } from '../scenario.ts';
import { configOf } from './configure.ts';
import { dryRun } from './dry-run.ts';
import { printHead } from './head.ts';
import { planOf, replayKept } from './kept.ts';
import { brokenBy, printEnd, withReporting, type Reporting } from './reporting.ts';

/** Settings of a campaign that judges a change. */
export interface ForChange {
  readonly base: BaseFlags;
  /** The seed if neither flag nor configuration sets one. */
  readonly seed: number;
}

/** Settings of the first campaign of a project. */
export interface ForFirst {
  /** Minimum duration of the search in ms, without the corpus: a search that has tested enough does not end earlier. */
  readonly enoughMs: number;
  /** Called with the summary before the exit code is returned. */
  readonly onSummary: (summary: Summary) => void;
}

export async function runCampaign(
  flags: RunFlags,
  context: CommandContext,
  change?: ForChange,
  first?: ForFirst,
): Promise<ExitCode> {
  const { console } = context;
  const config = await configOf(flags, console, change === undefined ? {} : { seed: change.seed });
  if (flags.dryRun === true) return await dryRun(config, console);
  const build = change === undefined ? undefined : baseBuild(change.base, config, console.cwd);
  const confirm = await planConfirmation(flags.confirm, config);
  // Read before anything slow: an unreadable corpus is an error.
  const kept = flags.corpus === false ? [] : readWholeCorpus(config.corpus.folder, console.cwd);
  const baseline = readBaseline(config, console.cwd, flags.updateBaseline === true);
  checkFolder(config.reportDir);
  const stored = storedFindings(config.reportDir);
  const release = lockFolder(config.reportDir);
  try {
    const prepared = {
      ...{ kept, stored, build, confirm, baseline, again: flags.again, first },
      ...{ update: flags.updateBaseline === true, all: flags.all === true },
    };
    return await withReporting(config, flags, console, (reporting) => runReporting(prepared, reporting, context));
  } finally {
    release();
  }
}

interface Prepared extends KeptBaseline {
  readonly kept: readonly NamedEntry[];
  /** The counterexamples in the report folder before the run. */
  readonly stored: readonly string[];
  readonly build: BaseBuild | undefined;
  readonly confirm: ConfirmPlan;
  /** Whether each symptom is reported as a separate finding. */
  readonly all: boolean;
  readonly again: Again | undefined;
  readonly first: ForFirst | undefined;
}

/** The parts of a campaign that have been completed. */
interface Completed {
  corpus?: CorpusReplay;
  searched?: CampaignResult;
}

async function runReporting(
  { kept, stored, build, confirm, baseline, update, all, again: typed, first }: Prepared,
  reporting: Reporting,
  { signal }: CommandContext,
): Promise<ExitCode> {
  const { config, console, print, keeper, vault } = reporting;
  const { runConfigured, standOn } = await import('../library.ts');
  const { knownCauses } = await import('../corpus/replay-first.ts');
  printHead(config, `seed ${config.seed}, ${budgetText(config.budget)}`, { print, console, vault });

  const progress = progressLine(process.stderr);
  const unjudged = new InconclusiveKeeper(config.reportDir, console.cwd, keeper.note);
  const unproved = new UnprovedKeeper(config.reportDir, console, vault);
  let isKept = true;
  const onCluster = (line: string): void => print(`${line}\n`);
  const done: Completed = {};
  let askedUntil = Number.POSITIVE_INFINITY;
  const broken = await brokenBy(() =>
    standOn(config, { signal, onCluster }, async (ready) => {
      const corpus = await replayKept(kept, ready, { print, console, signal }, (replay) => (done.corpus = replay));
      if (corpus !== undefined) done.corpus = corpus;
      const isAsked = build !== undefined || ('on' in confirm && !confirm.isAsked);
      const plan = planOf(config, corpus?.summary.elapsedMs ?? 0, isAsked, first?.enoughMs);
      askedUntil = plan.asked;
      const searchBroken = await brokenBy(async () => {
        done.searched = await runConfigured(ready, {
          signal,
          onCluster,
          plan,
          allSymptoms: all,
          ...(corpus === undefined ? {} : { expected: knownCauses(corpus.revisited) }),
          events: {
            onProgress: (facts) => progress.show(facts),
            onSeen: (seen) => {
              isKept = true;
              keeper.guard(() => unproved.seen(seen));
            },
            // If the finding could not be written, the violation in `unproved/` is kept.
            onSettled: () => isKept && unproved.settled(),
            onFinding: (finding) => {
              progress.clear();
              isKept = keeper.keep(finding);
            },
            onInconclusive: (run) => unjudged.keep(() => recordingOf(redactRecording(run, vault, config))),
            onBroken: (result) => (done.searched = result),
          },
        });
      });
      progress.clear();
      unproved.close();
      // If findings will also be tried on a real server, half of the remaining time is reserved for that.
      const baseUntil = 'on' in confirm ? (realNow() + askedUntil) / 2 : askedUntil;
      if (build !== undefined && done.searched !== undefined)
        done.searched = await onBase(done.searched, build, ready, { print, signal, onCluster, until: baseUntil });
      if (searchBroken !== undefined) throw searchBroken.error;
    }),
  );
  const { corpus, searched = emptyResult(config) } = done;
  if (broken !== undefined && searched.runs === 0 && searched.findings.length === 0 && corpus === undefined)
    throw broken.error;
  const result = await confirmRun(searched, confirm, config, {
    ...{ print, signal, onCluster, until: askedUntil },
    confirmed: (finding) => keeper.confirmed(finding),
  });

  const redacted = redactWords(keeper.withoutSecrets(unjudged.filed(result)), secretSources(config), vault);
  keeper.completed(redacted);
  const { failures } = keeper;
  const budgets =
    broken === undefined
      ? budgetsOf({ baseline, update }, config, redacted, { print, failures, cwd: console.cwd })
      : undefined;
  const again = typed === undefined ? undefined : withoutSecrets(typed, config, vault);
  const summary = summarise(redacted, (finding) => keeper.pathOf(finding), corpus?.summary, budgets, again);
  first?.onSummary(summary);
  const scenario = scenarioOf(
    config,
    { ...redacted, outcome: summary.outcome },
    {
      ...{ cwd: console.cwd, env: process.env },
      pathsOf: (finding) => keeper.pathsOf(finding),
      unjudgedPageOf: (reason) => unjudged.pageOf(reason),
      ...(again === undefined ? {} : { again }),
    },
    corpus?.summary,
  );
  const found = redacted.findings.flatMap((finding) => keeper.pathOf(finding) ?? []);
  const repeated = [...found, ...kept.map(({ name }) => name)];
  return printEnd(reporting, { summary, scenario, after: earlierText(stored, repeated, console) }, broken);
}

function withoutSecrets(again: Again, config: RunConfig, vault: Vault): Again {
  const hidden = (words: readonly string[]): readonly string[] => redactTexts(words, secretSources(config), vault);
  return { ...again, flags: hidden(again.flags), corpus: hidden(again.corpus), program: hidden(again.program) };
}

/** Makes the result of a campaign that failed before the search. */
function emptyResult({ seed, warnings }: RunConfig): CampaignResult {
  return {
    ...{ outcome: 'interrupted', besides: 'interrupted', seed, warnings },
    ...{ runs: 0, verified: 0, elapsedMs: 0, contention: {}, perProperty: {}, findings: [] },
    inconclusive: { count: 0, reasons: {} },
  };
}

/** Marks findings that also fail on the base build, and adjusts the outcome. */
async function onBase(
  result: CampaignResult,
  build: BaseBuild,
  config: RunConfig,
  manner: Pick<BaseContext, 'print' | 'signal' | 'onCluster'> & { readonly until: number },
): Promise<CampaignResult> {
  const findings = await judgeOnBase(result.findings, build, { ...replayLike(config), ...manner });
  const isOver = realNow() >= manner.until;
  const notAsked = isOver ? findings.filter((finding) => finding.onBase === 'unknown') : [];
  return withLeft({ ...result, findings, outcome: outcomeOf(findings, result.besides) }, 'base', notAsked);
}
