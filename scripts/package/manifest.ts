/**
 * package.json of the package, made from that of the clone: compiled entries instead of sources, nothing for those who work on it.
 *
 * npm packs the package.json that stands in the folder, so `prepack` puts this one there and `postpack` puts the clone's back. Where a
 * pack was killed in between, git shows a changed package.json, and the next `npm pack` or `npm run postpack` restores it, unless it
 * has been restored and edited meanwhile.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../repository-files.ts';

const MANIFEST = 'package.json';
/** npm never packs files that end like this. */
const KEPT = `${MANIFEST}.orig`;

/** Entries of the clone that say the same in the package. */
const SAME = [
  'name',
  'version',
  'description',
  'license',
  'type',
  'dependencies',
  'peerDependencies',
  'peerDependenciesMeta',
] as const;

/** Of the package. The clone starts on any Node that runs `scripts/bootstrap.mjs`, and goes on with the one that it brings along. */
export const OLDEST_NODE = '22.19';

/** What the README and pages beneath `ci` point to. */
export const PAGES: readonly string[] = [
  'docs/**/*.md',
  'docs/schemas/*.json',
  'harness/README.md',
  'harness/apiserver/DIFFERENCES.md',
];

interface Manifest {
  readonly [key: string]: unknown;
  readonly bin: { readonly [name: string]: string };
  readonly exports: { readonly [entry: string]: string };
}

export function packageManifest(clone: Manifest): object {
  const compiled = (source: string): string => source.replace(/^\.\/(.*)\.ts$/, './dist/$1');
  return {
    ...Object.fromEntries(SAME.map((key) => [key, clone[key]])),
    engines: { node: `>=${OLDEST_NODE}` },
    bin: Object.fromEntries(Object.entries(clone.bin).map(([name, file]) => [name, `dist/${file}`])),
    exports: {
      ...Object.fromEntries(
        Object.entries(clone.exports).map(([entry, source]) => [
          entry,
          { types: `${compiled(source)}.d.ts`, default: `${compiled(source)}.js` },
        ]),
      ),
      './schemas/*': './dist/docs/schemas/*',
      './package.json': './package.json',
    },
    files: ['dist', 'ci', ...PAGES, 'NOTICE', 'CHANGELOG.md'],
  };
}

/** Puts the package's in place of the clone's, which it keeps. */
export function putPackageManifest(folder: string = REPOSITORY_ROOT): void {
  restoreManifest(folder);
  const clone = readFileSync(join(folder, MANIFEST), 'utf8');
  writeFileSync(join(folder, KEPT), clone);
  writeFileSync(join(folder, MANIFEST), manifestText(clone));
}

/** @throws where it cannot be told whose package.json stands there. */
export function restoreManifest(folder: string = REPOSITORY_ROOT): void {
  const kept = join(folder, KEPT);
  if (!existsSync(kept)) return;
  const stands = readFileSync(join(folder, MANIFEST), 'utf8');
  if (stands === manifestText(readFileSync(kept, 'utf8'))) renameSync(kept, join(folder, MANIFEST));
  // The clone's, by git or by hand, and what was done to it since.
  else if (stands.includes('"prepack"')) rmSync(kept);
  else
    throw new Error(
      `"${MANIFEST}" is neither the clone's nor the one that was put in its place, expected either; the clone's is "${KEPT}": move it back, or delete it after "git checkout ${MANIFEST}"`,
    );
}

function manifestText(clone: string): string {
  return `${JSON.stringify(packageManifest(JSON.parse(clone) as Manifest), null, 2)}\n`;
}
