/**
 * Compiles the package into `dist/`: JavaScript and declarations in the folder structure of the clone, and the other files that modules
 * read.
 *
 * Why: Node does not strip types below `node_modules`, so an installed stalemate has to be JavaScript. The clone always runs from its
 * sources and never reads `dist/`. Owns: which files the package contains. Does not own: package.json (manifest.ts).
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API_SERVER_FOLDER, apiServerExports, apiServerFile, type Exports } from '../api-server-package.ts';
import { REPOSITORY_ROOT, repositoryPaths } from '../repository-files.ts';
import { writeBill } from './sbom.ts';

export const DIST: string = join(REPOSITORY_ROOT, 'dist');
/** The file of the bill of materials: in `dist` in the package, at the top level in the archive. */
export const BILL = 'sbom.cdx.json';

/** Files that modules read at run time, by a path relative to the module. */
const ASSETS = /^(apiserver|harness)\/|^kind-config\.yaml$|^docs\/schemas\/|^package\.json$/;
/** Included in each package. */
const TEXTS = ['LICENSE', 'NOTICE'];
/** Files that are not copied: sources, which are compiled, and files for tests and readers. */
const LEFT_OUT =
  /\.(ts|md)$|\/tsconfig\.json$|\/recorded\.json$|^harness\/test\/|\/corpus\/|^apiserver\/(package\.json$|scripts\/)/;

/** Returns all files of the package except for compiled sources, as paths of the repository. */
export function assets(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => ASSETS.test(path) && !LEFT_OUT.test(path));
}

/** Changes `.ts` in the imports of declarations to `.js`: the package contains only compiled modules. */
export function withCompiledEndings(declarations: string): string {
  return declarations.replace(/(\bfrom |\bimport\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2');
}

/**
 * Changes imports of the API server's package to relative paths: the harness package contains it, compiled, and has no dependency on it.
 *
 * @param path - The path of the compiled file, relative to the output folder.
 */
export function withOwnApiServer(text: string, path: string, entries: Exports): string {
  return text.replace(
    /(\bfrom |\bimport ?\(?)(['"])(stalemate-apiserver(?:\/[^'"]+)?)\2/g,
    (whole, before: string, quote, name) => {
      const file = apiServerFile(name as string, entries);
      if (file === undefined) return whole;
      const to = posix.relative(posix.dirname(path), file.replace(/\.ts$/, '.js'));
      return `${before}${quote}${to.startsWith('.') ? to : `./${to}`}${quote}`;
    },
  );
}

/** Compiles everything into a folder; flags may restrict this to declarations. */
export function compile(folder: string, ...flags: readonly string[]): void {
  compileProject('tsconfig.json', folder, flags);
  const entries = apiServerExports();
  for (const path of globSync('harness/**/*.{js,d.ts}', { cwd: folder }).concat(
    globSync('properties/**/*.{js,d.ts}', { cwd: folder }),
  )) {
    const file = join(folder, path);
    writeFileSync(file, withOwnApiServer(readFileSync(file, 'utf8'), path, entries));
  }
}

function compileProject(name: string, folder: string, flags: readonly string[]): void {
  const project = fileURLToPath(new URL(name, import.meta.url));
  const tsc = join(REPOSITORY_ROOT, 'node_modules', '.bin', 'tsc');
  const { status, stdout } = spawnSync(tsc, ['-p', project, '--outDir', folder, ...flags], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`"tsc" refuses the sources of the package; run "npm run types"\n${stdout}`);
  for (const path of globSync('**/*.d.ts', { cwd: folder })) {
    const file = join(folder, path);
    writeFileSync(file, withCompiledEndings(readFileSync(file, 'utf8')));
  }
}

export function build(): void {
  rmSync(DIST, { recursive: true, force: true });
  compile(DIST);
  for (const path of assets(repositoryPaths())) cpSync(join(REPOSITORY_ROOT, path), join(DIST, path));
  writeBill(REPOSITORY_ROOT, `dist/${BILL}`, 'dist');
}

/** Compiles the package of the API server on its own, into its own `dist`. */
export function buildApiServer(): void {
  const folder = join(REPOSITORY_ROOT, API_SERVER_FOLDER);
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  compileProject('apiserver.json', dist, []);
  for (const path of assets(repositoryPaths()).filter((asset) => asset.startsWith(`${API_SERVER_FOLDER}/`)))
    cpSync(join(REPOSITORY_ROOT, path), join(dist, posix.relative(API_SERVER_FOLDER, path)));
  for (const text of TEXTS) cpSync(join(REPOSITORY_ROOT, text), join(folder, text));
}

/** Removes the texts that {@link buildApiServer} has copied; `dist` stays, as for the harness package. */
export function removeTexts(): void {
  for (const text of TEXTS) rmSync(join(REPOSITORY_ROOT, API_SERVER_FOLDER, text), { force: true });
}
