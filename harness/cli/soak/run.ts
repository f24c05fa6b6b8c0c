/** Runs a soak from configuration to outcome; its findings are reported even if it fails. */
import { realDate } from '../../determinism/real-time.ts';
import { budgetText } from '../../execution/config/budget.ts';
import { shardText } from '../../execution/soak/place.ts';
import { programOf } from '../../execution/soak/program.ts';
import { leftOf, runSoak } from '../../execution/soak/soak.ts';
import { SoakState } from '../../execution/soak/soak-state.ts';
import type { NamedEntry } from '../../model/corpus.ts';
import { HarnessError, type ExitCode } from '../../model/errors.ts';
import type { Finding, InconclusiveRun } from '../../model/finding.ts';
import type { Shard, SoakEntry, SoakLine, SoakLineOf, SoakPlace } from '../../model/soak.ts';
import { takeFolder } from '../../report/folder-lock.ts';
import { progressLine } from '../../report/progress.ts';
import { redactFinding, redactRecording, redactWords } from '../../report/redaction/index.ts';
import { mergeSoak, type Soak } from '../../report/soak/merge.ts';
import { checkFolder } from '../../report/write-files.ts';
import { usage } from '../arguments.ts';
import { budgetsOf, readBaseline, type KeptBaseline } from '../baseline.ts';
import { configOf } from '../campaign/configure.ts';
import { dryRun } from '../campaign/dry-run.ts';
import { printHead } from '../campaign/head.ts';
import { replayKept } from '../campaign/kept.ts';
import { brokenBy, printEnd, withReporting, type Reporting } from '../campaign/reporting.ts';
import type { RunFlags } from '../commands/run-flags.ts';
import { planConfirmation, type ConfirmPlan } from '../confirm.ts';
import { readWholeCorpus } from '../corpus/folder.ts';
import type { CorpusReplay } from '../corpus/replay-first.ts';
import { InconclusiveKeeper } from '../inconclusive-keeper.ts';
import { UnprovedKeeper } from '../unproved-keeper.ts';
import type { CommandContext } from '../command-context.ts';
import { secretSources } from '../../execution/config/secret-sources.ts';
import { confirmSoak } from './confirm.ts';
import { SoakLog } from './log.ts';
import { soakAbout, soakFolder, today, unfinishedEpoch, type SoakIdentity } from './epoch.ts';
import { earlierLines, goingOnText, introduce } from './opening.ts';
import { redactEntry, redactLine } from './redact-line.ts';
import { soakScenario, soakSummary } from './scenario.ts';

export interface SoakFlags extends Omit<RunFlags, 'seed'> {
  readonly shard?: Shard;
  readonly seedEpoch?: string;
}

const NOTHING_YET = 'the soak was stopped before its first batch ended; start it again in the same way to continue';

export async function soak(flags: SoakFlags, context: CommandContext): Promise<ExitCode> {
  const { console } = context;
  const configured = await configOf(flags, console);
  if (flags.dryRun === true) return dryRun(configured, console);
  if (flags.budget === undefined)
    throw usage('got no --budget, expected how long to search over all starts, such as "--budget 8h"');
  const { shard = { index: 1, count: 1 } } = flags;
  const identity: SoakIdentity = { about: soakAbout(configured), program: await programOf(configured), shard };
  const going = flags.seedEpoch === undefined ? unfinishedEpoch(configured.reportDir, identity) : undefined;
  const epoch = flags.seedEpoch ?? going ?? today();
  const confirm = await planConfirmation(flags.confirm, configured);
  const config = { ...configured, reportDir: soakFolder(configured.reportDir, epoch, shard) };
  const kept = flags.corpus === false ? [] : readWholeCorpus(config.corpus.folder, console.cwd);
  const update = flags.updateBaseline === true;
  const baseline = readBaseline(config, console.cwd, update);
  checkFolder(config.reportDir);
  const { signal } = context;
  const release = await takeFolder(config.reportDir, { signal, onWait: (why) => console.err(`${why}\n`) });
  try {
    const all = flags.all === true;
    const prepared = { ...identity, kept, confirm, baseline, update, all, epoch, isResumed: going !== undefined };
    return await withReporting(config, flags, console, (reporting) => soakReporting(prepared, reporting, context));
  } finally {
    release();
  }
}

interface Prepared extends KeptBaseline, SoakIdentity {
  readonly kept: readonly NamedEntry[];
  readonly confirm: ConfirmPlan;
  /** Whether each symptom is reported as a separate finding. */
  readonly all: boolean;
  readonly epoch: string;
  /** True if the epoch was unfinished and is continued although no flag named it. */
  readonly isResumed: boolean;
}

async function soakReporting(prepared: Prepared, reporting: Reporting, context: CommandContext): Promise<ExitCode> {
  const { about, program, shard, epoch, isResumed } = prepared;
  const { config, console, print, vault } = reporting;
  const place: SoakPlace = { about, epoch, shard: shardText(shard) };
  const before = earlierLines(config, place, program, context).map((entry) => redactEntry(entry, vault));
  const log = new SoakLog(config.reportDir);
  const entries: SoakEntry[] = [...before];
  const append = (line: SoakLine): SoakEntry => {
    const entry = log.append(redactLine(line, vault));
    entries.push(entry);
    return entry;
  };
  try {
    const how = `soak of ${epoch}, shard ${place.shard}, ${budgetText(config.budget)}`;
    printHead(config, how, { print, console, vault });
    const state = new SoakState(before);
    if (isResumed && epoch !== today())
      print(`the soak of ${epoch} is not finished, so it continues; --seed-epoch ${today()} starts another one\n`);
    if (before.length > 0) print(`${goingOnText(state, config)}\n`);
    introduce(append, before, place, config, program, context, vault);
    return await soakLogged({ ...prepared, place, append, entries, state }, reporting, context);
  } finally {
    log.close();
  }
}

interface Logged extends Prepared {
  readonly place: SoakPlace;
  readonly append: (line: SoakLine) => SoakEntry;
  readonly entries: readonly SoakEntry[];
  readonly state: SoakState;
}

async function soakLogged(logged: Logged, reporting: Reporting, { signal }: CommandContext): Promise<ExitCode> {
  const { kept, confirm, baseline, update, all, shard, place, append, entries, state } = logged;
  const { config, console, print, keeper, vault } = reporting;
  const { runConfigured, standOn } = await import('../library.ts');
  const { knownCauses } = await import('../corpus/replay-first.ts');
  const progress = progressLine(process.stderr);
  const unproved = new UnprovedKeeper(config.reportDir, console, vault);
  const onCluster = (line: string): void => print(`${line}\n`);
  const judged = (replayed: SoakLineOf<'judged'>['kept'], budgets: SoakLineOf<'judged'>['budgets']): void => {
    const at = realDate().toISOString();
    append({ version: 1, kind: 'soak-line', ...place, at, line: 'judged', kept: replayed, budgets });
  };
  const done: { corpus?: CorpusReplay } = {};
  const broken = await brokenBy(() =>
    standOn(config, { signal, onCluster }, async (ready) => {
      const replayed = await replayKept(kept, ready, { print, console, signal }, (replay) => (done.corpus = replay));
      if (replayed !== undefined) {
        done.corpus = replayed;
        judged(replayed.summary.entries, []);
      }
      await runSoak(ready, {
        ...{ shard, place, state, append, signal },
        expected: replayed === undefined ? [] : knownCauses(replayed.revisited),
        campaign: async (batch, { events, ...how }) => {
          // Findings are reported while the batch runs; an error in reporting one must not affect the rest.
          let isKept = true;
          const onFinding = (finding: Finding): void => {
            isKept = keeper.guard(() => events.onFinding?.(redactFinding(finding, vault)));
          };
          const onInconclusive = (run: InconclusiveRun): void =>
            void keeper.guard(() => events.onInconclusive?.(redactRecording(run, vault, config)));
          const result = await runConfigured(batch, {
            ...how,
            allSymptoms: all,
            events: {
              ...events,
              ...{ onFinding, onInconclusive },
              onSeen: (seen) => {
                isKept = true;
                keeper.guard(() => unproved.seen(seen));
              },
              // If the finding could not be recorded, the violation in `unproved/` is kept.
              onSettled: () => isKept && unproved.settled(),
            },
          });
          return redactWords(keeper.withoutSecrets(result), secretSources(config), vault);
        },
        onFinding: (finding, news) => {
          progress.clear();
          if (news === 'smaller') print('\na smaller example of what is known:\n');
          keeper.keep(finding);
        },
        onWarning: (text) => {
          progress.clear();
          print(`warning: ${text}\n`);
        },
        onProgress: (facts) => progress.show(facts),
      });
    }),
  );
  progress.clear();
  unproved.close();

  const merged = (): Soak | undefined => mergeSoak(entries, { allShards: false })[0];
  const searched = merged();
  const lines = entries.length;
  if (searched !== undefined && broken === undefined)
    await confirmSoak(searched, { plan: confirm, config, append, print, signal, onCluster });
  const made = entries.length === lines ? searched : merged();
  const isNothing = state.batches === 0 && state.causes === 0 && leftOf(config, state) > 0 && done.corpus === undefined;
  if (made === undefined || isNothing) throw broken?.error ?? new HarnessError('INTERRUPTED', NOTHING_YET);
  const { result } = made;
  for (const finding of result.findings) keeper.restore(finding);
  const unjudged = new InconclusiveKeeper(config.reportDir, console.cwd, keeper.note);
  for (const recording of made.unjudged) unjudged.keep(() => recording);
  const { failures } = keeper;
  const budgets =
    broken === undefined
      ? budgetsOf({ baseline, update }, config, result, { print, failures, cwd: console.cwd })
      : undefined;
  const unwritten = await brokenBy(async () => void (budgets !== undefined && judged([], budgets)));
  const soak: Soak = {
    ...made,
    result: unjudged.filed(result),
    ...(done.corpus === undefined ? {} : { corpus: done.corpus.summary }),
    ...(budgets === undefined ? {} : { budgets }),
  };
  const summary = soakSummary(soak, (finding) => keeper.pathOf(finding));
  const scenario = soakScenario(soak, keeper, unjudged);
  return printEnd(reporting, { summary, scenario }, broken ?? unwritten);
}
