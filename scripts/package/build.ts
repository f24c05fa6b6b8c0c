/**
 * Compiles the package into `dist/`: JavaScript and declarations, laid out like the clone, and beside them what is read as a file.
 *
 * Why: Node strips no types below `node_modules`, so an installed stalemate has to be JavaScript. The clone goes on running from its
 * sources and never reads `dist/`. Owns: what becomes a file of the package. Does not own: package.json (manifest.ts).
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { API_SERVER_FOLDER, apiServerExports, apiServerFile, type Exports } from '../api-server-package.ts';
import { REPOSITORY_ROOT, repositoryPaths } from '../repository-files.ts';
import { writeBill } from './sbom.ts';

export const DIST: string = join(REPOSITORY_ROOT, 'dist');
/** In the package it is in `dist`, in the archive at the top. */
export const BILL = 'sbom.cdx.json';

/** Read at run time from where they stand relative to a module. */
const ASSETS =
  /^(apiserver|harness)\/|^kind-config\.yaml$|^docs\/schemas\/|^package\.json$|^controllers-under-test\/catalogue\.json$/;
/** Licences go with each package. */
const TEXTS = ['LICENSE', 'NOTICE'];
/** Sources are compiled; the rest is for tests and readers. */
const LEFT_OUT =
  /\.(ts|md)$|\/tsconfig\.json$|\/recorded\.json$|^harness\/test\/|\/corpus\/|^apiserver\/(package\.json$|scripts\/)/;

/** Everything but sources that belongs into the package, as paths of the repository. */
export function assets(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => ASSETS.test(path) && !LEFT_OUT.test(path));
}

/** Declarations keep the endings of sources, which are not there: readers of declarations need those of the compiled modules. */
export function withCompiledEndings(declarations: string): string {
  return declarations.replace(/(\bfrom |\bimport\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2');
}

/**
 * Imports of the API server's package by where it is compiled to beside them: the package of the harness holds it, and needs no other one.
 *
 * @param path - Of the compiled file, below the folder that everything is compiled into.
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

/** Compiles declarations alone, or everything, into a folder. */
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

/** Compiles the package of the API server alone, into a folder of its own. */
export function buildApiServer(): void {
  const folder = join(REPOSITORY_ROOT, API_SERVER_FOLDER);
  const dist = join(folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  compileProject('apiserver.json', dist, []);
  for (const path of assets(repositoryPaths()).filter((asset) => asset.startsWith(`${API_SERVER_FOLDER}/`)))
    cpSync(join(REPOSITORY_ROOT, path), join(dist, posix.relative(API_SERVER_FOLDER, path)));
  for (const text of TEXTS) cpSync(join(REPOSITORY_ROOT, text), join(folder, text));
}

/** What {@link buildApiServer} has put beside the sources; `dist` stays, as the other one does. */
export function removeTexts(): void {
  for (const text of TEXTS) rmSync(join(REPOSITORY_ROOT, API_SERVER_FOLDER, text), { force: true });
}
