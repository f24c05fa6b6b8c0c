/**
 * Equivalent mutants, which do nothing wrong, each with the reason. Stored in `equivalents.json`. Further mutants that two readers have
 * judged to be equivalent are in `perhaps-equivalent.json`. They count as not equivalent, because the share of equivalent mutants would
 * otherwise be too large. `equivalents.test.ts` runs all of them.
 */
import { readFileSync } from 'node:fs';

interface Equivalent {
  readonly id: string;
  /** The reason why no property can distinguish the mutant from its original. */
  readonly because: string;
}

function readReasons(file: string): ReadonlyMap<string, string> {
  const entries = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as readonly Equivalent[];
  return new Map(entries.map(({ id, because }) => [id, because]));
}

export const equivalents: ReadonlyMap<string, string> = readReasons('equivalents.json');
export const perhapsEquivalent: ReadonlyMap<string, string> = readReasons('perhaps-equivalent.json');
