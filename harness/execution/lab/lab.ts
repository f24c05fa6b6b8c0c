/**
 * The lab: runs single trials, for the user's own properties.
 *
 * A campaign drives fast-check itself; a lab is driven by fast-check or by any other caller. Owns: the worker that the trials run in, one
 * at a time, so that virtual time never reaches the caller's process; what counts as a failure of {@link Lab.holds} while fast-check
 * shrinks. Does not own: how a trial is drawn and shrunk (`schedule/arbitrary.ts`), run and judged (`worker/worker-main.ts`).
 */
import path from 'node:path';
import * as fc from 'fast-check';
import type { Violation } from '../../model/check-result.ts';
import { signatureText } from '../../model/signature.ts';
import { HarnessError } from '../../model/errors.ts';
import type { History } from '../../model/history.ts';
import type { Reference } from '../../model/reference.ts';
import type { Trial } from '../../model/trial.ts';
import { judge } from '../../oracle/compose.ts';
import type { Property } from '../../oracle/property.ts';
import { writeFinding } from '../../report/record.ts';
import { tellStory, type StoryInput } from '../../report/story.ts';
import { redactFinding } from '../../report/redaction/index.ts';
import { Vault } from '../../report/redaction/vault.ts';
import { renderStory } from '../../report/terminal.ts';
import { depositSchedule, shrunkFrom, trialArbitrary } from '../../schedule/arbitrary.ts';
import { encodeCounterexample } from '../../schedule/codec/counterexample.ts';
import { describeIssues } from '../../schedule/codec/issues.ts';
import { encodeRecord } from '../../schedule/codec/record.ts';
import { SCHEDULE } from '../../schedule/codec/schedule.ts';
import { WORKLOAD } from '../../schedule/codec/workload.ts';
import { workloadArbitrary } from '../../schedule/workload/workload-arbitrary.ts';
import type { AdversarialWriter, Aim } from '../../schedule/workload/writer.ts';
import { counterexampleOf } from '../search/counterexample.ts';
import { emptyHistory } from '../run/empty-history.ts';
import { faultsWithLock } from '../search/second-copy.ts';
import { lostWorkerViolation } from '../worker/lost-worker.ts';
import type { RunConfig } from '../config/run-config.ts';
import { secretSources } from '../config/secret-sources.ts';
import { LabWorker } from './lab-worker.ts';
import { callerFrames, withFrames } from './user-frames.ts';
import { configInvalid } from '../config-invalid.ts';

/** The result of one trial. */
export interface TrialResult {
  /** The trial in the form that is stored and replayed: the decisions of the search as a schedule. */
  readonly trial: Trial;
  readonly history: History;
  readonly violations: readonly Violation[];
  /** Maps a property's name to the reason why it is inconclusive. */
  readonly inconclusive: ReadonlyMap<string, string>;
}

/** Runs trials of one target. Created by `openLab`. */
export interface Lab extends AsyncDisposable {
  /** Measurements of the undisturbed runs. */
  readonly reference: Reference;
  /** Objects and fields that writers can target, for use in your own workloads. */
  readonly aim: Aim;
  /** Generates whole trials, workload and schedule; fast-check can shrink a trial after this lab has run it. */
  trials(): fc.Arbitrary<Trial>;
  /**
   * Runs and judges a trial. Concurrent calls run one after the other. Afterwards, fast-check can shrink the trial, for any failing
   * predicate.
   *
   * @throws {FORMAT_INVALID} for a trial whose workload or schedule is malformed.
   */
  run(trial: Trial): Promise<TrialResult>;
  /**
   * Returns a predicate for `fc.asyncProperty`: when one of these properties (default: all properties of the options) is violated, it
   * writes the counterexample to the report folder and throws the story of the violation.
   *
   * While fast-check shrinks, only the violation that was found first counts, so that the result is the smallest form of that violation
   * and not of another. An inconclusive trial is skipped like an unmet precondition: fast-check draws another one.
   *
   * @throws {CONFIG_INVALID} for a name that is not a property of the options.
   */
  holds(...properties: readonly string[]): (trial: Trial) => Promise<void>;
  /** Ends the worker. An open lab keeps the process alive. */
  close(): Promise<void>;
}

export interface LabParts {
  readonly config: RunConfig;
  readonly workerEntry: URL;
  /** All known writers, from which the configuration selects. */
  readonly writers: readonly AdversarialWriter[];
  /** How long a target inside the harness may block the event loop, in ms; default 10 s. */
  readonly blockedMs?: number | undefined;
  /** Properties that are functions of the caller and cannot be sent to the worker; they are judged in this process, without probes. */
  readonly own: readonly Property[];
}

/** Opens a lab: starts the worker and waits for the references. */
export async function startLab(parts: LabParts): Promise<Lab> {
  const worker = new LabWorker(parts.config, parts.workerEntry, parts.blockedMs);
  const ready = await worker.ready();
  const { config, own } = parts;
  const workload = workloadArbitrary({
    aim: ready.aim,
    writers: parts.writers.filter(({ name }) => config.writers.includes(name)),
    sample: ready.base.sample,
    bystander: ready.bystander,
    garbageCollection: config.settings.garbageCollection,
  });
  const trials = trialArbitrary({ workload, faults: faultsWithLock(config, ready.hints) });
  const run = async (trial: Trial, properties: readonly Property[]): Promise<TrialResult> => {
    checkTrial(trial);
    const answer = await worker.run(
      trial,
      properties.map(({ name }) => name),
    );
    if ('end' in answer) return lostResult(trial, lostWorkerViolation(answer, ''));
    depositSchedule(trial, answer.schedule);
    const stored: Trial = { workload: trial.workload, schedule: answer.schedule };
    const history: History = { ...answer.history, reference: ready.reference };
    const result = { trial: stored, history, violations: answer.violations, inconclusive: answer.inconclusive };
    const local = properties.filter((property) => own.includes(property));
    return local.length === 0 ? result : judgedHere(result, local);
  };
  return {
    reference: ready.reference,
    aim: ready.aim,
    trials: () => trials,
    run: (trial) => run(trial, config.properties),
    holds: (...names) => {
      const properties = names.length === 0 ? config.properties : names.map((name) => find(config, name));
      return claim(config, (trial) => run(trial, properties), callerFrames());
    },
    close: () => worker.close(),
    [Symbol.asyncDispose]: () => worker.close(),
  };
}

/** Validates a trial, which may have been written by hand. */
function checkTrial(trial: Trial): void {
  for (const [part, format] of [
    ['workload', WORKLOAD],
    ['schedule', SCHEDULE],
  ] as const) {
    const { [part]: value } = trial;
    const { success, error } = format.schema.safeParse(value);
    if (success) continue;
    throw new HarnessError(
      'FORMAT_INVALID',
      `got a trial whose ${part} is none: ${describeIssues(error, value)}; "lab.trials()" makes whole ones, "decodeCounterexample" reads stored ones`,
    );
  }
}

function find(config: RunConfig, name: string): Property {
  const found = config.properties.find((property) => property.name === name || property.id === name);
  if (found !== undefined) return found;
  const known = config.properties.map((property) => property.name).join(', ');
  throw configInvalid(`got property "${name}", expected one of ${known}`);
}

function lostResult(trial: Trial, violation: Violation): TrialResult {
  const { workload, schedule } = trial;
  return {
    trial: { workload, schedule },
    history: emptyHistory(violation.sentence),
    violations: [violation],
    inconclusive: new Map(),
  };
}

function judgedHere(result: TrialResult, properties: readonly Property[]): TrialResult {
  const violations = [...result.violations];
  const inconclusive = new Map(result.inconclusive);
  for (const { property, result: verdict } of judge(result.history, properties)) {
    if (verdict.result === 'violated') violations.push(...verdict.violations);
    if (verdict.result === 'inconclusive') inconclusive.set(property.name, verdict.reason);
  }
  return { ...result, violations, inconclusive };
}

function claim(
  config: RunConfig,
  run: (trial: Trial) => Promise<TrialResult>,
  frames: string,
): (trial: Trial) => Promise<void> {
  /** The signature of each failed trial; while a trial is being shrunk, only failures with its signature count. */
  const pins = new WeakMap<Trial, string>();
  return async (trial) => {
    const origin = shrunkFrom(trial) ?? trial;
    const pinned = pins.get(origin);
    const result = await run(trial);
    const errors = result.violations.filter(({ severity }) => severity === 'error');
    const same = errors.find(({ signature }) => signatureText(signature) === pinned);
    const violation = same ?? (pinned === undefined || origin === trial ? errors[0] : undefined);
    if (violation !== undefined) {
      pins.set(origin, signatureText(violation.signature));
      throw withFrames(new Error(storyOf(result, violation, config)), frames);
    }
    if (errors.length === 0 && result.inconclusive.size > 0) fc.pre(false);
  };
}

const STORY_WIDTH = 100;

/** Returns the story as printed in the terminal, with the command that replays it or, if the file cannot be written, with the reason. */
function storyOf({ trial, history }: TrialResult, violation: Violation, config: RunConfig): string {
  const found: StoryInput = { violation, counterexample: counterexampleOf(trial, violation, config), record: history };
  const vault = new Vault();
  vault.sources.push(secretSources(config));
  const redacted = redactFinding(found, vault);
  return renderStory(tellStory(redacted), { width: STORY_WIDTH, color: false, replay: replayText(redacted, config) });
}

function replayText(found: StoryInput, { reportDir, cwd }: RunConfig): string {
  try {
    const files = writeFinding(reportDir, found, { counterexample: encodeCounterexample, record: encodeRecord });
    return `npx stalemate replay ${path.relative(cwd, files.counterexample)}`;
  } catch (error) {
    if (error instanceof HarnessError) return `not possible, ${error.message}`;
    throw error;
  }
}
