/**
 * The page's own script and style, concatenated from the files in `page/` when a page is written.
 *
 * The files are ES modules in plain JavaScript, so that they can be read, checked and debugged directly. They import each other
 * by name only: imports and the word `export` are removed here, which leaves a single module. This needs no bundler and no
 * build step.
 */
import { readFileSync } from 'node:fs';

/** Sorted so that each module follows its imports. */
const SCRIPTS = ['dom', 'data', 'moment', 'copy', 'story', 'knowledge', 'filter', 'history-list', 'history', 'main'];
const STYLES = ['theme', 'layout', 'story', 'knowledge', 'neighbour', 'history'];
const RUN_SCRIPTS = ['dom', 'copy', 'run'];
const RUN_STYLES = ['theme', 'layout', 'run'];

/** Returns the script of a finding's page. */
export function pageScript(): string {
  return scriptOf(SCRIPTS);
}

export function pageStyle(): string {
  return styleOf(STYLES);
}

/** Returns the script of a run's page. */
export function runScript(): string {
  return scriptOf(RUN_SCRIPTS);
}

export function runStyle(): string {
  return styleOf(RUN_STYLES);
}

function scriptOf(names: readonly string[]): string {
  return names.map((name) => unwrapped(readPart(`${name}.js`))).join('\n');
}

function styleOf(names: readonly string[]): string {
  return names.map((name) => readPart(`${name}.css`)).join('\n');
}

function readPart(name: string): string {
  return readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');
}

/** Removes the imports and exports of a module. */
function unwrapped(text: string): string {
  return text
    .replaceAll(/^import [^;]*;\n/gm, '')
    .replaceAll(/^export (?=(?:async )?function|const|class|let)/gm, '')
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\n/gm, '');
}
