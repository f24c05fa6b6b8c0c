/**
 * Moves a schedule to other occurrences of the same requests, after a harmless edit of the target.
 *
 * If an edit adds a read before the read that a schedule names, the new read takes its occurrence number. Only these numbers change in a
 * label, so the moved schedule still describes the same interleaving. Owns: which moves are tried, nearest first. Does not own: whether a
 * move reproduces the failure (`replay-job.ts`).
 */
import { laterOccurrence, withoutOccurrence, type Label } from '../model/label.ts';
import type { Reanchored, Schedule } from '../model/schedule.ts';
import { relabelled } from './relabel.ts';

/** The shifts of a label, the likeliest first: one request more, two more, one less. */
const SHIFTS = [1, 2, -1] as const;

/** Yields the schedules to try: each request moved on its own, then all of them together. */
export function* reanchorings(schedule: Schedule): Generator<Reanchored> {
  const stems = new Set(labelsOf(schedule).flatMap((label) => withoutOccurrence(label) ?? []));
  for (const shift of SHIFTS) for (const stem of stems) yield* moved(schedule, new Set([stem]), shift);
  if (stems.size > 1) for (const shift of SHIFTS) yield* moved(schedule, stems, shift);
}

function* moved(schedule: Schedule, stems: ReadonlySet<string>, by: number): Generator<Reanchored> {
  const moves = new Map<Label, Label>();
  let possible = true;
  const move = (label: Label): Label => {
    const stem = withoutOccurrence(label);
    if (stem === undefined || !stems.has(stem)) return label;
    const to = laterOccurrence(label, by);
    if (to === undefined) {
      possible = false;
      return label;
    }
    moves.set(label, to);
    return to;
  };
  const candidate = relabelled(schedule, move);
  if (possible) yield { schedule: candidate, moves: [...moves].map(([from, to]) => ({ from, to })) };
}

function labelsOf(schedule: Schedule): readonly Label[] {
  const labels: Label[] = [];
  relabelled(schedule, (label) => {
    labels.push(label);
    return label;
  });
  return labels;
}
