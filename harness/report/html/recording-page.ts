/**
 * The page of a recording: a run that stalemate did not make, or could not judge, displayed like a finding. It has no guilty
 * request, so it lists the result of each property, and shows the story of the first violation, or of the target's last
 * requests if there is none.
 */
import type { CheckResult, Violation } from '../../model/check-result.ts';
import type { Counterexample } from '../../model/counterexample.ts';
import type { Recording } from '../../model/recording.ts';
import { adviceFor } from '../advice.ts';
import { quoted } from '../shell-word.ts';
import { countText } from '../count-text.ts';
import { titleOf } from '../title.ts';
import type { ReportDocument } from './document.ts';
import { makeReport } from './make-document.ts';
import { renderPage } from './render-page.ts';

/** A property's result for a recording. */
export interface RecordedOpinion {
  readonly property: string;
  readonly result: CheckResult;
  /** False if nothing in the recording could have violated the claim. */
  readonly exercised: boolean;
}

/** Returns the first sentence of the page, which the terminal prints as well. */
export function recordingSentence(recording: Recording, opinions: readonly RecordedOpinion[]): string {
  const { inconclusive } = recording;
  if (inconclusive !== undefined) {
    const advice = adviceFor(inconclusive.reason);
    const next = advice === undefined ? '' : `; ${advice}`;
    return `Not a finding: ${inconclusive.property} has no opinion on this run, because ${inconclusive.reason}${next}`;
  }
  const [first, ...more] = violationsOf(opinions);
  const { operations, revisions } = recording.history;
  const seen = `${countText(operations.length, 'request')} of ${countText(Object.keys(recording.actors).length, 'actor')}, ${countText(revisions.length, 'version')}`;
  if (first === undefined) return `${seen}: no property that could be judged finds a violation`;
  return more.length === 0 ? first.sentence : `${first.sentence} (and ${countText(more.length, 'other violation')})`;
}

/** @param file - The recording's path, as a user would type it. */
export function recordingPage(recording: Recording, opinions: readonly RecordedOpinion[], file: string): string {
  // The page of an inconclusive run shows no violation, because the campaign reports violations as findings.
  const [first] = recording.inconclusive === undefined ? violationsOf(opinions) : [];
  const violation = first ?? placeholderViolation(recording);
  const {
    waiver: _waiver,
    head: { server: _server, ...head },
    ...report
  } = makeReport({
    violation,
    record: recording.history,
    counterexample: placeholderCounterexample(recording, violation),
  });
  const document: ReportDocument = {
    ...report,
    head: {
      ...head,
      ...(first === undefined ? { blameless: true } : {}),
      title: titleText(recording, first),
      sentence: recordingSentence(recording, opinions),
    },
    reproduce: [
      { what: 'Judge it again, without running anything', command: `npx stalemate recheck ${quoted(file)}` },
      { what: 'Write this page again', command: `npx stalemate report ${quoted(file)}` },
    ],
    environment: [
      {
        name: 'Seen by',
        value: SEEN_BY[recording.source],
      },
      ...Object.entries(recording.actors).map(([name, agent]) => ({ name, value: agent })),
      ...opinions.map(({ property, result, exercised }) => ({ name: property, value: opinionText(result, exercised) })),
    ],
    notes: [...report.notes, ...recording.notes],
  };
  return renderPage(document);
}

const SEEN_BY: { readonly [source in Recording['source']]: string } = {
  gate: 'the gate, between the command and its cluster',
  'audit-log': 'the audit log of a server',
  run: 'a campaign, which continued without a verdict on it',
};

function titleText({ inconclusive }: Recording, first: Violation | undefined): string {
  if (inconclusive !== undefined) return 'INCONCLUSIVE';
  return first === undefined ? 'RECORDED' : `RECORDED: ${titleOf(first.signature)}`;
}

function violationsOf(opinions: readonly RecordedOpinion[]): readonly Violation[] {
  return opinions.flatMap(({ result }) => (result.result === 'violated' ? result.violations : []));
}

function opinionText(result: CheckResult, exercised: boolean): string {
  switch (result.result) {
    case 'violated':
      return `✗ ${result.violations.map(({ sentence }) => sentence).join('; ')}`;
    case 'inconclusive':
      return `no opinion: ${result.reason}`;
    case 'holds':
      return exercised ? '✓ holds' : '– nothing in the recording could have broken it';
  }
}

/** Makes a placeholder violation, so that the same page can show the whole run without a guilty request. */
function placeholderViolation({ source, inconclusive }: Recording): Violation {
  return {
    signature: { property: inconclusive?.property ?? 'recording', class: source, actors: [], kind: '', field: '' },
    sentence: '',
    operations: [],
    revisions: [],
    at: Number.POSITIVE_INFINITY,
    severity: 'error',
  };
}

/** Makes a placeholder counterexample. The page only needs its deviations. */
function placeholderCounterexample(
  { schedule, history }: Recording,
  { signature, sentence }: Violation,
): Counterexample {
  return {
    version: 1,
    kind: 'counterexample',
    signature,
    sentence,
    target: { command: ['recorded'], directory: '.' },
    namespace: 'default',
    crds: [],
    workload: { version: 1, start: 'empty', sample: [], programs: [] },
    schedule,
    config: {
      seed: 0,
      stepsMax: Math.max(1, history.steps),
      settleWindowMs: 0,
      settleStepsMax: 0,
      garbageCollection: true,
      namespaceController: true,
      replicasMax: 1,
    },
    foundWith: { stalemate: '', node: '' },
  };
}
