/**
 * Finds entries of a corpus about the same bug of the same target. Names do not show this, because they derive from the symptom
 * that was found first.
 */
import { causeKey, isCoarse } from '../../model/cause.ts';
import { signatureText } from '../../model/signature.ts';
import type { CorpusEntry, NamedEntry } from '../../model/corpus.ts';
import { scheduleSize } from '../../model/schedule.ts';
import { fileStem, shortHash } from '../../report/title.ts';

/**
 * Returns the entry about the same bug: by its cause, else by its signature, for entries from versions without causes. An entry
 * that the user has marked as fixed or quarantined takes precedence over an open one, so that it is not opened again by
 * accident.
 */
export function keptAs(kept: readonly NamedEntry[], given: CorpusEntry): NamedEntry | undefined {
  const mine = kept.filter(({ entry }) => targetKey(entry) === targetKey(given));
  const { cause } = given;
  const byCause =
    cause === undefined || isCoarse(cause) ? [] : mine.filter(({ entry }) => causeKey(entry) === cause.key);
  const signature = signatureText(given.signature);
  const bySignature = mine.filter(({ entry }) => signatureText(entry.signature) === signature);
  const [known] = byCause.length > 0 ? decidedFirst(byCause) : decidedFirst(bySignature);
  return known;
}

/** Returns an unused name, because two bugs may have the same cause if the cause contains no request. */
export function freeName(kept: readonly NamedEntry[], given: CorpusEntry): string {
  const stem = fileStem(given);
  if (!kept.some(({ name }) => name === stem)) return stem;
  return `${stem}-${shortHash(JSON.stringify([signatureText(given.signature), given.target]))}`;
}

/**
 * Returns all but the smallest entry of each signature, state and target; of several equally small ones, the first by name
 * stays. States are separate because a fixed entry is a regression test of its own, however small an open one is.
 */
export function doublesIn(kept: readonly NamedEntry[]): readonly NamedEntry[] {
  const smallest = new Map<string, NamedEntry>();
  const ordered = kept.toSorted((one, other) => scheduleSize(one.entry.schedule) - scheduleSize(other.entry.schedule));
  const keyOf = ({ entry }: NamedEntry): string =>
    JSON.stringify([signatureText(entry.signature), entry.state, entry.target]);
  for (const named of ordered) if (!smallest.has(keyOf(named))) smallest.set(keyOf(named), named);
  return kept.filter((named) => smallest.get(keyOf(named)) !== named);
}

function decidedFirst(entries: readonly NamedEntry[]): readonly NamedEntry[] {
  return entries.toSorted((a, b) => Number(a.entry.state === 'open') - Number(b.entry.state === 'open'));
}

function targetKey({ target }: CorpusEntry): string {
  return JSON.stringify(target);
}
