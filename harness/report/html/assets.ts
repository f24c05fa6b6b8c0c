/**
 * The page's own script and style, put together from the files in `page/` when a page is written.
 *
 * The files are ES modules in plain JavaScript, so that they can be read, checked and debugged as they are. They import each other by
 * name only; here imports and the word `export` go, and what is left is one module. No bundler, and nothing to build.
 */
import { readFileSync } from 'node:fs';

/** In the order of their imports. */
const SCRIPTS = ['dom', 'data', 'moment', 'copy', 'story', 'knowledge', 'filter', 'history-list', 'history', 'main'];
const STYLES = ['theme', 'layout', 'story', 'knowledge', 'neighbour', 'history'];
const RUN_SCRIPTS = ['dom', 'copy', 'run'];
const RUN_STYLES = ['theme', 'layout', 'run'];

/** Of the page of a finding. */
export function pageScript(): string {
  return scriptOf(SCRIPTS);
}

export function pageStyle(): string {
  return styleOf(STYLES);
}

/** Of the page of a run. */
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

/** A module's text without what only modules of their own need. */
function unwrapped(text: string): string {
  return text
    .replaceAll(/^import [^;]*;\n/gm, '')
    .replaceAll(/^export (?=(?:async )?function|const|class|let)/gm, '')
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\n/gm, '');
}
