/** Makes the report document of a finding. Pure; start with {@link makeReport}. */
import { realServerText } from '../../model/confirmation.ts';
import type { FindingStats } from '../../model/finding.ts';
import { isWrite, type History } from '../../model/history.ts';
import { indexHistory, type HistoryIndex } from '../history-index.ts';
import { involvedKeys } from '../involved.ts';
import { gatherKnowledge, type KnowledgeBase } from '../knowledge.ts';
import { quoted } from '../shell-word.ts';
import { shownSignature } from '../shown-signature.ts';
import { tellStory, type Story, type StoryInput } from '../story.ts';
import type { StoryRow } from '../story-row.ts';
import { countText } from '../count-text.ts';
import { effortText, foldedText } from '../terminal.ts';
import { REPORT_VERSION, type ReportDeviation, type ReportDocument, type ReportRow } from './document.ts';
import { compareRuns } from './compare-runs.ts';
import { environmentOf } from './environment.ts';
import { eventTable } from './event-table.ts';
import { fieldChain } from './field-chain.ts';
import { objectView } from './object-views.ts';
import { requestRates } from './rates.ts';
import { baseOf } from './write-base.ts';

/** Paths of a finding's files, as a user would type them. */
export interface ReportPlaces {
  readonly counterexample?: string;
  readonly record?: string;
}

/** Maximum number of objects shown version by version; a story about more objects is about their number. */
const OBJECTS_MAX = 8;

export function makeReport(finding: StoryInput, places: ReportPlaces = {}): ReportDocument {
  const { violation, record: history, counterexample, stats, neighbour } = finding;
  const story = tellStory(finding);
  const index = indexHistory(history);
  const knowledge = gatherKnowledge(index);
  const { signature } = violation;
  const involved = involvedKeys(index, violation);
  const keys = [...involved].filter((key) => index.chain(key).length > 0);
  const shown = keys.slice(0, OBJECTS_MAX);
  const { fix, deterministic } = story;
  const rows = reportRows(story, index, knowledge, keys);
  return {
    version: REPORT_VERSION,
    kind: 'report',
    head: {
      title: story.title,
      sentence: violation.sentence,
      ...(story.cause === undefined ? {} : { cause: story.cause }),
      ...(story.symptoms.length === 0 ? {} : { symptoms: story.symptoms }),
      ...shownSignature(signature),
      severity: violation.severity,
      ...(stats === undefined
        ? {}
        : { grade: stats.grade, tried: effortText(stats, deterministic), lag: lagText(history, stats) }),
      server: realServerText(counterexample),
      ...(fix === undefined ? {} : { mend: fix }),
    },
    story: {
      actors: story.actors,
      server: story.object === undefined ? 'API server' : `API server ${story.object}`,
      rows,
      unrelatedSteps: story.unrelatedSteps,
      atRest: story.atRest,
      missed: story.missed,
    },
    counterfactuals: rows.filter(
      (row): row is ReportDeviation => row.row === 'deviation' && row.deviation !== 'release',
    ),
    ...(neighbour === undefined ? {} : { neighbour: compareRuns(index, violation, involved, neighbour) }),
    chains: shown.flatMap((key) => fieldChain({ index, knowledge, violation }, key) ?? []),
    views: shown.flatMap((key) => objectView(index, knowledge, violation, key, story.actors) ?? []),
    rates: requestRates(history, story.actors),
    events: eventTable(index, signature.field),
    reproduce: commandsOf(places),
    waiver: story.waiver,
    environment: environmentOf(history, counterexample, stats),
    notes: notesOf(keys.length - shown.length),
  };
}

function commandsOf({ counterexample, record }: ReportPlaces): ReportDocument['reproduce'] {
  const replayed = counterexample ?? record;
  return [
    ...(replayed === undefined
      ? []
      : [{ what: 'Run it again, step by step the same', command: `npx stalemate replay ${quoted(replayed)}` }]),
    ...(record === undefined
      ? []
      : [
          {
            what: 'Judge the stored history again, without running anything',
            command: `npx stalemate recheck ${quoted(record)}`,
          },
          { what: 'Write this page again', command: `npx stalemate report ${quoted(record)}` },
        ]),
  ];
}

/** Describes the least lag that reproduces the finding: after shrinking, only necessary holds are left. */
function lagText(history: History, { holds, heldItems }: FindingStats): string {
  if (holds === 0) return 'none: no watch is kept back';
  const late = history.deliveries.map(({ timeMs, available }) => timeMs - available.timeMs);
  const longest = late.reduce((most, ms) => Math.max(most, ms), 0);
  return `${countText(heldItems, 'watch event')} kept back, at most ${Math.round(longest)} ms of run time`;
}

function notesOf(objectsLeftOut: number): readonly string[] {
  if (objectsLeftOut <= 0) return [];
  return [`${objectsLeftOut} more objects are involved; their versions are in the history below and in the record`];
}

function reportRows(
  story: Story,
  index: HistoryIndex,
  knowledge: KnowledgeBase,
  keys: readonly string[],
): readonly ReportRow[] {
  const numbers: number[] = [];
  const readAt = new Map<number, number>();
  let number = 0;
  return story.rows.map((row): ReportRow => {
    if (row.row === 'seen') return { ...row, number: ++number };
    if (row.row === 'folded') return { row: 'folded', at: row.at, text: foldedText(row, numbers).trim() };
    if (row.row === 'event') {
      const { at, actor, text, guilty } = row;
      return { row: 'event', at, actor, text, guilty, log: row.kind === 'log' };
    }
    if (row.row === 'deviation') {
      const { kind, ...rest } = row;
      return { ...rest, deviation: kind };
    }
    numbers.push(++number);
    readAt.set(row.id, number);
    return operationRow(row, number, baseText(row, index, knowledge, keys, readAt));
  });
}

function operationRow(
  row: Extract<StoryRow, { row: 'operation' }>,
  number: number,
  base: string | undefined,
): ReportRow {
  const { at, timeMs, actor, request, answer, guilty, remark, stale } = row;
  return {
    row: 'operation',
    at,
    timeMs,
    number,
    actor,
    request,
    ...(answer === undefined ? {} : { answer }),
    guilty,
    ...(remark === undefined ? {} : { remark }),
    // Replaces the sign with one that fonts without emoji also have.
    ...(stale === undefined ? {} : { stale: stale.replace('⌛', '◔') }),
    ...(base === undefined ? {} : { base }),
  };
}

/** Describes which version a write was made from, and how many versions old it was; undefined if it was the newest or is unknown. */
function baseText(
  row: Extract<StoryRow, { row: 'operation' }>,
  index: HistoryIndex,
  knowledge: KnowledgeBase,
  keys: readonly string[],
  readAt: ReadonlyMap<number, number>,
): string | undefined {
  const operation = index.operation(row.id);
  if (operation === undefined || !isWrite(operation.verb)) return undefined;
  const key = keys.find((candidate) => index.keysOf(operation).includes(candidate));
  if (key === undefined) return undefined;
  const received = knowledge.all(operation.actor, key).filter(({ at }) => at < operation.invoked.at);
  const base = baseOf(operation, received);
  if (base === undefined) return undefined;
  const moment = (operation.sent ?? operation.invoked).at;
  const newer = index.chain(key).filter(({ at, revision }) => at < moment && revision > base.content.revision).length;
  if (newer === 0) return undefined;
  const step = base.content.op === undefined ? undefined : readAt.get(base.content.op);
  const read = step === undefined ? '' : `, read at step ${step}`;
  const under = base.under === undefined || base.under === base.content.revision ? '' : `, under version ${base.under}`;
  return `content of version ${base.content.revision}${read}${under}: ${countText(newer, 'version')} old`;
}
