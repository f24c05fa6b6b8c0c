/** Shortens a story: shows cycles once, and counts unimportant steps instead of showing them. */
import type { FoldedRow, OperationRow, StoryRow } from './story-row.ts';

/** Maximum length of a cycle, in operation rows, and minimum number of rounds for a cycle to be folded. */
const CYCLE_MAX = 6;
const ROUNDS_MIN = 3;

/** Replaces the second and later rounds of a cycle of requests by one row. */
export function foldCycles(rows: readonly StoryRow[]): readonly StoryRow[] {
  const out: StoryRow[] = [];
  for (let at = 0; at < rows.length;) {
    const cycle = cycleAt(rows, at);
    if (cycle === undefined) {
      out.push(rows[at] as StoryRow);
      at++;
      continue;
    }
    const first = rows[at] as OperationRow;
    const last = rows[at + cycle.rows - 1] as OperationRow;
    const repeated = rows.slice(at + cycle.length, at + cycle.rows) as OperationRow[];
    const guilty = repeated.find((row) => row.guilty);
    for (const row of rows.slice(at, at + cycle.length) as OperationRow[]) {
      // The cycle's only visible round carries the mark of the guilty request.
      out.push(guilty !== undefined && row.shape === guilty.shape ? { ...row, ...mark(guilty) } : row);
    }
    const rounds = cycle.rows / cycle.length - 1;
    const overMs = last.timeMs - first.timeMs;
    out.push({ row: 'folded', at: last.at, steps: repeated.length, cycle: { rounds, length: cycle.length, overMs } });
    at += cycle.rows;
  }
  return out;
}

function mark(guilty: OperationRow): Partial<OperationRow> {
  return { guilty: true, essential: true, ...(guilty.remark === undefined ? {} : { remark: guilty.remark }) };
}

/** Returns the shortest cycle of operation rows that starts at the row `at` and repeats often enough. */
function cycleAt(
  rows: readonly StoryRow[],
  at: number,
): { readonly length: number; readonly rows: number } | undefined {
  for (let length = 1; length <= CYCLE_MAX; length++) {
    let rounds = 1;
    while (sameRound(rows, at, at + rounds * length, length)) rounds++;
    if (rounds >= ROUNDS_MIN) return { length, rows: rounds * length };
  }
  return undefined;
}

function sameRound(rows: readonly StoryRow[], first: number, other: number, length: number): boolean {
  for (let offset = 0; offset < length; offset++) {
    const a = rows[first + offset];
    const b = rows[other + offset];
    if (a?.row !== 'operation' || b?.row !== 'operation' || a.shape !== b.shape) return false;
  }
  return true;
}

/** Minimum length of a pause that is shown, in ms of run time; no request takes that long. */
const WAIT_MS = 10_000;

/**
 * Inserts a row before a request that follows a long pause.
 *
 * @param beganMs - When contention began, in ms of run time.
 */
export function withWaits(rows: readonly StoryRow[], beganMs: number): readonly StoryRow[] {
  let lastMs: number | undefined = beganMs;
  return rows.flatMap((row): readonly StoryRow[] => {
    // The folded row of a cycle already states how long it lasted.
    if (row.row === 'folded') lastMs = undefined;
    if (row.row !== 'operation') return [row];
    const waitMs = row.timeMs - (lastMs ?? row.timeMs);
    lastMs = row.timeMs;
    return waitMs < WAIT_MS ? [row] : [{ row: 'folded', at: row.at, steps: 0, waitMs }, row];
  });
}

/** The order in which rows are dropped: log lines, then reads, then other requests, then received versions. */
const WEIGHTS = [
  (row: StoryRow): boolean => row.row === 'event' && row.kind === 'log',
  (row: StoryRow): boolean => row.row === 'operation' && !row.essential && row.answer === undefined,
  (row: StoryRow): boolean => row.row === 'operation' && !row.essential,
  (row: StoryRow): boolean => row.row === 'seen' || (row.row === 'deviation' && row.kind === 'release'),
  (row: StoryRow): boolean => !(row.row === 'operation' && row.guilty),
] as const;

/** Folds rows, the least important and oldest first, until at most `max` are left. */
export function keepWithin(rows: readonly StoryRow[], max: number): readonly StoryRow[] {
  const order = new Set(WEIGHTS.flatMap((isLight) => rows.filter(isLight)));
  const lightestFirst = [...order];
  // Hiding one more row never makes the story longer, so a binary search finds the smallest number to hide.
  let low = 0;
  let high = lightestFirst.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (joinFolds(rows, new Set(lightestFirst.slice(0, middle))).length <= max) high = middle;
    else low = middle + 1;
  }
  return joinFolds(rows, new Set(lightestFirst.slice(0, low)));
}

/** Removes hidden rows, and replaces adjacent hidden steps by one row with their number. */
function joinFolds(rows: readonly StoryRow[], hidden: ReadonlySet<StoryRow>): readonly StoryRow[] {
  const out: StoryRow[] = [];
  for (const row of rows) {
    if (!hidden.has(row)) {
      out.push(row);
      continue;
    }
    const steps = row.row === 'operation' ? 1 : row.row === 'folded' ? row.steps : 0;
    const last = out.at(-1);
    if (steps === 0) continue;
    if (last?.row === 'folded' && last.cycle === undefined)
      out[out.length - 1] = { ...last, steps: last.steps + steps };
    else out.push({ row: 'folded', at: row.at, steps } satisfies FoldedRow);
  }
  return out;
}
