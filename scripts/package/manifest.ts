/**
 * Generates package.json of the package from that of the clone: with compiled entries instead of sources, and without fields for
 * contributors.
 *
 * npm packs the package.json in the folder, so `prepack` replaces it and `postpack` restores the clone's. If a pack is killed in between,
 * git shows a changed package.json, and the next `npm pack` or `npm run postpack` restores it, unless it was restored and edited meanwhile.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_SERVER_PACKAGE, type Exports } from '../api-server-package.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';

const MANIFEST = 'package.json';
/** npm never packs files with this extension. */
const KEPT = `${MANIFEST}.orig`;

/** Fields that are the same in the clone and in the package. */
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

/**
 * The oldest Node that the package supports. The clone starts on any Node that can run `scripts/bootstrap.mjs`, and then uses its pinned
 * Node.
 */
export const OLDEST_NODE = '22.19';

/** The version range for the test fixtures of both packages. */
const VITEST = '>=5';

/** Pages that the README and the pages in `ci` link to. */
export const PAGES: readonly string[] = [
  'docs/**/*.md',
  'docs/schemas/*.json',
  'harness/README.md',
  'apiserver/*.md',
  'apiserver/docs/*.md',
];

interface Manifest {
  readonly [key: string]: unknown;
  readonly bin: { readonly [name: string]: string };
  readonly exports: Exports;
  readonly dependencies?: { readonly [name: string]: string };
  readonly peerDependencies?: { readonly [name: string]: string };
  readonly peerDependenciesMeta?: { readonly [name: string]: object };
}

export function packageManifest(clone: Manifest): object {
  const { [API_SERVER_PACKAGE]: _, ...dependencies } = clone.dependencies ?? {};
  return {
    ...common(clone),
    // Without the API server, which is compiled together with the harness (build.ts), so that users install one package.
    dependencies,
    bin: Object.fromEntries(Object.entries(clone.bin).map(([name, file]) => [name, `dist/${file}`])),
    exports: {
      ...compiledExports(clone.exports),
      './schemas/*': './dist/docs/schemas/*',
      './package.json': './package.json',
    },
    files: ['dist', 'ci', ...PAGES, 'NOTICE', 'CHANGELOG.md'],
  };
}

/** The same for the package of the API server. */
export function apiServerManifest(clone: Manifest): object {
  const { peerDependencies, peerDependenciesMeta } = clone;
  return {
    ...common(clone),
    // Not in the clone's package.json, because npm would then treat all of vitest as shipped.
    peerDependencies: { ...peerDependencies, vitest: VITEST },
    peerDependenciesMeta: { ...peerDependenciesMeta, vitest: { optional: true } },
    exports: { ...compiledExports(clone.exports), './package.json': './package.json' },
    files: ['dist', '*.md', 'docs', 'server/README.md', 'LICENSE', 'NOTICE'],
  };
}

function common(clone: Manifest): object {
  return { ...Object.fromEntries(SAME.map((key) => [key, clone[key]])), engines: { node: `>=${OLDEST_NODE}` } };
}

function compiledExports(sources: Exports): object {
  const compiled = (source: string): string => source.replace(/^\.\/(.*)\.ts$/, './dist/$1');
  return Object.fromEntries(
    Object.entries(sources).map(([entry, source]) => [
      entry,
      { types: `${compiled(source)}.d.ts`, default: `${compiled(source)}.js` },
    ]),
  );
}

/** Replaces the clone's package.json by the package's, and keeps a copy. */
export function putPackageManifest(folder: string = REPOSITORY_ROOT): void {
  restoreManifest(folder);
  const clone = readFileSync(join(folder, MANIFEST), 'utf8');
  writeFileSync(join(folder, KEPT), clone);
  writeFileSync(join(folder, MANIFEST), manifestText(clone));
}

/** Restores the clone's package.json. @throws if it is unclear which one is in the folder. */
export function restoreManifest(folder: string = REPOSITORY_ROOT): void {
  const kept = join(folder, KEPT);
  if (!existsSync(kept)) return;
  const stands = readFileSync(join(folder, MANIFEST), 'utf8');
  if (stands === manifestText(readFileSync(kept, 'utf8'))) renameSync(kept, join(folder, MANIFEST));
  // Already the clone's, restored by git or by hand and possibly edited since.
  else if (stands.includes('"prepack"')) rmSync(kept);
  else
    throw new Error(
      `"${MANIFEST}" is neither the clone's nor the one that was put in its place, expected either; the clone's is "${KEPT}": move it back, or delete it after "git checkout ${MANIFEST}"`,
    );
}

function manifestText(clone: string): string {
  const manifest = JSON.parse(clone) as Manifest;
  const made = manifest['name'] === API_SERVER_PACKAGE ? apiServerManifest(manifest) : packageManifest(manifest);
  return `${JSON.stringify(made, null, 2)}\n`;
}
