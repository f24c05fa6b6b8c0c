/** The public operators for first contact, and the sample that is drawn from them. Start at {@link drawn}. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Random } from '../../harness/determinism/random.ts';

export interface Repository {
  readonly name: string;
  readonly language: 'Go' | 'Python' | 'Rust' | 'Java';
  /** The registry that its sources are fetched from. */
  readonly source: 'go' | 'pypi' | 'crates' | 'maven';
  /** Its name in the registry: a module, a package, `group:artifact`. */
  readonly package: string;
  readonly version: string;
  /** The repository to clone instead, if the registry's sources differ from a clone. */
  readonly clone?: {
    readonly url: string;
    /** A tag, or a commit if the project has no tags. */
    readonly at: string;
  };
  /** Whether it has webhooks, as far as its sources show. */
  readonly webhooks: boolean;
  /** Whether it has a conversion webhook. */
  readonly conversion: boolean;
}

/** An arbitrary number: that of the issue that asked for the sample. */
export const SEED = 18;
export const DRAWN = 24;
/** The minimum number of each kind. */
const QUOTAS: readonly { readonly count: number; readonly of: (one: Repository) => boolean }[] = [
  { count: 2, of: ({ conversion }) => conversion },
  { count: 8, of: ({ webhooks }) => webhooks },
  { count: 3, of: ({ language }) => language !== 'Go' },
];

export const FOLDER: string = fileURLToPath(new URL('../../controllers-under-test/first-contact/', import.meta.url));

export function readRepositories(): readonly Repository[] {
  return JSON.parse(readFileSync(`${FOLDER}repositories.json`, 'utf8')) as readonly Repository[];
}

/** Draws a sample of the list: in shuffled order, first what each quota lacks, then the rest. */
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
