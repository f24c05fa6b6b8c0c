/** The public operators that first contact is measured with, and which of them are drawn. Start at {@link drawn}. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Random } from '../../harness/determinism/random.ts';

export interface Repository {
  readonly name: string;
  readonly language: 'Go' | 'Python' | 'Rust' | 'Java';
  /** The registry that its sources are fetched from. */
  readonly source: 'go' | 'pypi' | 'crates' | 'maven';
  /** What the registry calls it: a module, a package, `group:artifact`. */
  readonly package: string;
  readonly version: string;
  /** Where its sources are cloned from instead, if what the registry serves is not what a clone holds. */
  readonly clone?: {
    readonly url: string;
    /** A tag or, of a project that has none, a commit. */
    readonly at: string;
  };
  /** As far as known from its sources. */
  readonly webhooks: boolean;
  /** Whether one of its webhooks converts. */
  readonly conversion: boolean;
}

/** Of the numbers that it could have been, the one of the issue that asked for it. */
export const SEED = 18;
export const DRAWN = 24;
/** At least so many of each sort. */
const QUOTAS: readonly { readonly count: number; readonly of: (one: Repository) => boolean }[] = [
  { count: 2, of: ({ conversion }) => conversion },
  { count: 8, of: ({ webhooks }) => webhooks },
  { count: 3, of: ({ language }) => language !== 'Go' },
];

export const FOLDER: string = fileURLToPath(new URL('../../controllers-under-test/first-contact/', import.meta.url));

export function readRepositories(): readonly Repository[] {
  return JSON.parse(readFileSync(`${FOLDER}repositories.json`, 'utf8')) as readonly Repository[];
}

/** A sample of the list: in the order of a shuffle, what a quota still lacks is taken before what is left. */
export function drawn(all: readonly Repository[], seed: number = SEED): readonly Repository[] {
  const shuffled = new Random(seed).shuffle(all);
  const taken = new Set<Repository>();
  for (const { count, of } of QUOTAS) {
    const lacking = count - [...taken].filter(of).length;
    for (const one of shuffled.filter((other) => of(other) && !taken.has(other)).slice(0, Math.max(0, lacking)))
      taken.add(one);
  }
  for (const one of shuffled) if (taken.size < DRAWN) taken.add(one);
  return all.filter((one) => taken.has(one));
}
