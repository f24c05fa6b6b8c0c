/**
 * Compares the failing run with its neighbour, which leaves one deviation out and passes: step by step, where they diverge, and
 * how they end.
 *
 * Owns: which steps are shown and which are only counted. Does not own: how steps are paired (`align.ts`).
 */
import type { Violation } from '../../model/check-result.ts';
import type { Neighbour } from '../../model/finding.ts';
import { phaseStart } from '../../model/history.ts';
import { indexHistory, type HistoryIndex } from '../history-index.ts';
import { operationRows } from '../operation-rows.ts';
import type { OperationRow } from '../story-row.ts';
import { align, type Aligned } from './align.ts';
import type { ComparedStep, ComparedRow, ReportNeighbour, RunEnd } from './document.ts';
import { valueTextOf } from './field-chain.ts';

/** Maximum number of steps compared in each run: a comparison does not help with runs of thousands of requests. */
const STEPS_MAX = 400;
/** Maximum number of rows shown around and after the divergence; the rest are only counted. */
const ROWS_MAX = 30;
/** Consecutive equal rows that are shown. */
const SAME_MAX = 3;
/** Steps of the passing run that are shown after the last common one. */
const TAIL_MAX = 4;
const ENDS_MAX = 6;

interface Step extends OperationRow {
  readonly label: string;
}

/** @param keys - Objects of the failing run's story. */
export function compareRuns(
  failing: HistoryIndex,
  violation: Violation,
  keys: ReadonlySet<string>,
  { without, history }: Neighbour,
): ReportNeighbour {
  const passing = indexHistory(history);
  const sameKeys = keysOfSame(failing, passing, keys);
  const innocent: Violation = { ...violation, operations: [], revisions: [], at: Number.POSITIVE_INFINITY };
  const left = stepsOf(failing, violation, keys);
  const right = stepsOf(passing, innocent, sameKeys);
  const aligned = withoutTail(align(left, right, ({ label }) => label));
  const all = { failing: labelsOf(failing), passing: labelsOf(passing) };
  const parts = aligned.findIndex((row) => !isSame(row));
  const rows = aligned.map((row, place): ComparedRow => {
    const { left: one, right: other } = row;
    const step = one ?? other;
    const missing = one === undefined ? 'failing' : other === undefined ? 'passing' : undefined;
    const elsewhere = missing !== undefined && step !== undefined && all[missing].has(step.label);
    return {
      row: 'step',
      actor: step?.actor ?? '',
      same: isSame(row),
      parts: place === parts,
      ...(one === undefined ? {} : { failing: stepOf(one) }),
      ...(other === undefined ? {} : { passing: stepOf(other) }),
      ...(elsewhere ? { moved: isEarlier(aligned, place, step.label) ? 'earlier' : 'later' } : {}),
    };
  });
  return { without, rows: shortened(rows, parts), ends: endsOf(failing, passing, violation, keys, sameKeys) };
}

function stepsOf(index: HistoryIndex, violation: Violation, keys: ReadonlySet<string>): readonly Step[] {
  const start = phaseStart(index.history, 'contention');
  const from = Number.isFinite(start) ? start : 0;
  return operationRows(index, keys, violation, from)
    .rows.filter((row): row is OperationRow => row.row === 'operation')
    .sort((a, b) => a.at - b.at)
    .slice(0, STEPS_MAX)
    .map((row) => ({ ...row, label: index.operation(row.id)?.label ?? '' }));
}

/** Reports whether the other run's step with this label is in a row above; if not, it comes later. */
function isEarlier(rows: readonly Aligned<Step>[], place: number, label: string): boolean {
  return rows.slice(0, place).some(({ left, right }) => left?.label === label || right?.label === label);
}

function labelsOf({ history }: HistoryIndex): ReadonlySet<string> {
  return new Set(history.operations.filter(({ sent }) => sent !== undefined).map(({ label }) => label));
}

/** Finds the same objects in the other run: generated names differ from run to run, canonical names do not. */
function keysOfSame(from: HistoryIndex, to: HistoryIndex, keys: ReadonlySet<string>): ReadonlySet<string> {
  const names = new Set([...keys].map((key) => from.shortName(key)));
  const all = new Set(to.history.revisions.map(({ resource, namespace, name }) => `${resource}/${namespace}/${name}`));
  return new Set([...keys, ...[...all].filter((key) => names.has(to.shortName(key)))]);
}

/** Compares steps without versions: versions are numbered across all objects, so they differ after the divergence anyway. */
function isSame({ left, right }: Aligned<Step>): boolean {
  if (left === undefined || right === undefined) return false;
  const text = ({ request, answer = '' }: Step): string => `${request} ▶ ${answer}`.replaceAll(/(?<= )\d+(?= |$)/g, '');
  return text(left) === text(right);
}

function stepOf({ request, answer, guilty }: Step): ComparedStep {
  return { request, ...(answer === undefined ? {} : { answer }), guilty };
}

function withoutTail(rows: readonly Aligned<Step>[]): readonly Aligned<Step>[] {
  const last = rows.findLastIndex(({ left }) => left !== undefined);
  return rows.slice(0, last + 1 + TAIL_MAX);
}

function shortened(rows: readonly ComparedRow[], parts: number): readonly ComparedRow[] {
  const out: ComparedRow[] = [];
  for (let at = 0; at < rows.length;) {
    const end = rows.findIndex((row, place) => place >= at && !(row.row === 'step' && row.same));
    const same = rows.slice(at, end < 0 ? rows.length : end);
    if (same.length > SAME_MAX) {
      out.push({ row: 'same', steps: same.length - SAME_MAX + 1 }, ...same.slice(1 - SAME_MAX));
    } else out.push(...same);
    if (end < 0) break;
    out.push(rows[end] as ComparedRow);
    at = end + 1;
  }
  const shown = parts < 0 ? out : out.slice(0, Math.max(ROWS_MAX, out.findIndex(isParting) + ROWS_MAX / 2));
  return shown.length === out.length ? shown : [...shown, { row: 'more', steps: out.length - shown.length }];
}

function isParting(row: ComparedRow): boolean {
  return row.row === 'step' && row.parts;
}

/** Lists the final differences of the story's objects. */
function endsOf(
  failing: HistoryIndex,
  passing: HistoryIndex,
  { signature }: Violation,
  keys: ReadonlySet<string>,
  sameKeys: ReadonlySet<string>,
): readonly RunEnd[] {
  const ends = new Map<string, { failing: string; passing: string }>();
  const look = (index: HistoryIndex, all: ReadonlySet<string>, run: 'failing' | 'passing'): void => {
    for (const key of all) {
      const last = index.chain(key).at(-1);
      if (last === undefined) continue;
      const object = index.shortName(key);
      const end = ends.get(object) ?? { failing: 'never there', passing: 'never there' };
      const value = signature.field === '' ? '' : valueTextOf(last.object, signature.field);
      end[run] = last.type === 'DELETED' ? 'gone' : value === '' || value === 'not set' ? 'there' : value;
      ends.set(object, end);
    }
  };
  look(failing, keys, 'failing');
  look(passing, sameKeys, 'passing');
  return [...ends]
    .filter(([, end]) => end.failing !== end.passing)
    .slice(0, ENDS_MAX)
    .map(([object, end]) => ({ object, ...end }));
}
