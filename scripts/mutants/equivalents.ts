/** Equivalent mutants, which do nothing wrong, each with the reason. Stored in `equivalents.json`; `equivalents.test.ts` runs them. */
import { readFileSync } from 'node:fs';

interface Equivalent {
  readonly id: string;
  /** The reason why no property can distinguish the mutant from its original. */
  readonly because: string;
}

const FILE = new URL('equivalents.json', import.meta.url);

export const equivalents: ReadonlyMap<string, string> = new Map(
  (JSON.parse(readFileSync(FILE, 'utf8')) as readonly Equivalent[]).map(({ id, because }) => [id, because]),
);
