/**
 * Pairs of releases, one with a known bug and one without: how they are built and started, and the expected finding.
 *
 * Each pair is a folder of controllers-under-test/known-bugs with a `pair.json`. Start at {@link readPairs}.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { HarnessError, type Finding } from '../../harness/index.ts';

/** The folder of all pairs. */
export const PAIRS_FOLDER: string = fileURLToPath(new URL('../../controllers-under-test/known-bugs/', import.meta.url));

const LANGUAGES = ['Go', 'Python', 'Rust', 'Java', 'JavaScript'] as const;
const OURS = ['go', 'python', 'cargo', 'maven', 'npm'] as const;

/** A small controller of ours on a release of a framework; its package files are in `releases/VERSION`. */
export interface OurBuild {
  readonly kind: (typeof OURS)[number];
}

/** A release of an operator, from the Go module proxy. */
export interface ModuleBuild {
  readonly kind: 'go-module';
  readonly module: string;
  readonly package: string;
}

export interface Expected {
  readonly property: string;
  readonly kind: string;
  /** A prefix of the field; empty matches any. */
  readonly field: string;
}

/** The content of `pair.json`. */
interface PairFile {
  readonly version: 1;
  readonly project: string;
  readonly language: (typeof LANGUAGES)[number];
  /** The kind of mistake; pairs with the same text are one family. */
  readonly family: string;
  readonly issue: string;
  readonly what: string;
  /** The commit or change that fixed the bug. */
  readonly fix: string;
  readonly withBug: string;
  readonly withoutBug: string;
  readonly build: OurBuild | ModuleBuild;
  /** Files or folders, relative to the module or to the pair's folder. */
  readonly crds: readonly string[];
  readonly samples: readonly string[];
  /** `{built}` is replaced by the folder of the build, `{sources}` by that of the pair. */
  readonly command: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** A finding that matches any of these is the bug. */
  readonly expected: readonly Expected[];
  /** Why the bug is not found, if it is not. */
  readonly notFound?: string | undefined;
}

export interface Pair extends PairFile {
  readonly name: string;
  readonly folder: string;
}

const PAIR: z.ZodType<PairFile> = z.strictObject({
  version: z.literal(1),
  project: z.string(),
  language: z.enum(LANGUAGES),
  family: z.string(),
  issue: z.url(),
  what: z.string(),
  fix: z.url(),
  withBug: z.string(),
  withoutBug: z.string(),
  build: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('go-module'), module: z.string(), package: z.string() }),
    z.strictObject({ kind: z.enum(OURS) }),
  ]),
  crds: z.array(z.string()),
  samples: z.array(z.string()).min(1),
  command: z.array(z.string()).min(1),
  env: z.record(z.string(), z.string()),
  expected: z.array(z.strictObject({ property: z.string(), kind: z.string(), field: z.string() })).min(1),
  notFound: z.string().optional(),
});

/** Returns all pairs, sorted by name. @throws {CONFIG_INVALID} with the file name. */
export function readPairs(): readonly Pair[] {
  return readdirSync(PAIRS_FOLDER)
    .toSorted()
    .filter((name) => existsSync(join(PAIRS_FOLDER, name, 'pair.json')))
    .map(readPair);
}

function readPair(name: string): Pair {
  const folder = join(PAIRS_FOLDER, name);
  const parsed = PAIR.safeParse(JSON.parse(readFileSync(join(folder, 'pair.json'), 'utf8')));
  if (!parsed.success)
    throw new HarnessError('CONFIG_INVALID', `${name}/pair.json is not a valid pair: ${z.prettifyError(parsed.error)}`);
  return { ...parsed.data, name, folder };
}

/** Whether a finding is the known bug. */
export function isTheBug({ violation: { signature } }: Finding, { expected }: Pick<Pair, 'expected'>): boolean {
  return expected.some(
    ({ property, kind, field }) =>
      signature.property === property && signature.kind === kind && signature.field.startsWith(field),
  );
}
