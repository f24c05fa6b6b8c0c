/**
 * Generates mutants: each is a correct controller with one mistake, in one place.
 *
 * Owns: their ids, and which places count. Does not own: the mistakes (`operators/`), the folder that a mutant runs in (`place.ts`).
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { IDIOMS, type OperatorName } from './operators/idioms.ts';
import { OPERATORS } from './operators/operators.ts';
import { canShow, type Surroundings } from './operators/can-show.ts';
import { SOURCES, type Source } from './sources.ts';
import { parseSource, type SgNode, type Site } from './syntax.ts';

export const ROOT: string = fileURLToPath(new URL('../../controllers-under-test/', import.meta.url));

export interface Mutant {
  /** For example `buckets/drops-guard@cleanUp#1`: controller, operator, function, and the number of the place in that function. */
  readonly id: string;
  readonly source: Source;
  readonly operator: OperatorName;
  /** The path of the file, relative to the folder of controllers under test. */
  readonly file: string;
  /** The line number, starting at 1. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
  /** The text of the whole file after the edit. */
  readonly text: string;
  readonly edits: Site;
}

const NAMED = new Set([
  ...['function_declaration', 'method_definition', 'method_declaration', 'function_item', 'function_definition'],
  ...['variable_declarator', 'class_declaration', 'public_field_definition', 'trait_item', 'impl_item', 'const_item'],
]);

/** Functions that properties say nothing about: those that start and stop a controller. */
const BEYOND = /^(?:stop|stopIfLate|sleep|Main|main|configure)$/;

/** The maximum number of places per operator in a program: a run of a program takes a hundred times as long as a run of a module. */
const PLACES_MAX = 3;

/** Returns all mutants of one controller, in an order that does not depend on edits of other functions. */
export function mutantsOf(source: Source, read: (file: string) => string = readSource): readonly Mutant[] {
  const mutants: Mutant[] = [];
  const numbers = new Map<string, number>();
  const texts = new Set<string>();
  for (const file of source.files) {
    const text = read(file);
    const root = parseSource(source.language, text);
    texts.add(text);
    for (const operator of Object.keys(IDIOMS) as OperatorName[]) {
      for (const edits of sitesOf(root, source, operator)) {
        const at = Math.min(...edits.filter(({ startPos }) => startPos > 0).map(({ startPos }) => startPos));
        const mutated = root.commitEdits([...edits].toSorted((a, b) => a.startPos - b.startPos));
        if (texts.has(mutated) || isBroken(parseSource(source.language, mutated))) continue;
        const around = functionAt(root, at);
        const place = nameOf(around);
        if (BEYOND.test(place) && operator !== 'requeues-at-once') continue;
        const stem = `${source.controller}/${operator}@${place}`;
        const number = (numbers.get(stem) ?? 0) + 1;
        numbers.set(stem, number);
        if (!canShow(operator, surroundings(text, around, edits))) continue;
        texts.add(mutated);
        const line = text.slice(0, at).split('\n').length;
        mutants.push({
          id: `${stem}#${number}`,
          source,
          operator,
          file,
          line,
          ...shown(text, edits),
          text: mutated,
          edits,
        });
      }
    }
  }
  return source.language === 'typescript' ? mutants : [...spread(mutants)];
}

function readSource(file: string): string {
  return readFileSync(ROOT + file, 'utf8');
}

/** Picks PLACES_MAX mutants per operator, spread evenly over the sources. */
function* spread(mutants: readonly Mutant[]): Generator<Mutant> {
  for (const of of Map.groupBy(mutants, ({ operator }) => operator).values()) {
    const step = Math.max(1, of.length / PLACES_MAX);
    for (let at = 0; at < of.length; at += step) {
      const mutant = of[Math.floor(at)];
      if (mutant !== undefined) yield mutant;
    }
  }
}

/** Returns all mutants of all controllers. */
export function allMutants(): readonly Mutant[] {
  return SOURCES.flatMap((source) => mutantsOf(source));
}

/** Returns the places in source order, so that numbers within a function follow its lines. */
function sitesOf(root: SgNode, { language }: Source, operator: OperatorName): readonly Site[] {
  const sites = (OPERATORS[language][operator] ?? []).flatMap((find) => find(root));
  return sites.toSorted((a, b) => startOf(a) - startOf(b));
}

function startOf(edits: Site): number {
  return Math.min(...edits.filter(({ startPos }) => startPos > 0).map(({ startPos }) => startPos));
}

function isBroken(root: SgNode): boolean {
  return root.find({ rule: { kind: 'ERROR' } }) !== null;
}

/** Returns the innermost function, class or variable around a position; the root if there is none. */
function functionAt(root: SgNode, at: number): SgNode {
  let innermost = root;
  let node: SgNode | undefined = root;
  while (node !== undefined) {
    if (NAMED.has(String(node.kind())) && isFunction(node) && nameIn(node) !== undefined) innermost = node;
    node = node.children().find((child) => child.range().start.index <= at && at < child.range().end.index);
  }
  return innermost;
}

function nameOf(node: SgNode): string {
  return nameIn(node) ?? 'file';
}

function nameIn(node: SgNode): string | undefined {
  return node.field('name')?.text() ?? node.field('type')?.text();
}

function surroundings(text: string, around: SgNode, edits: Site): Surroundings {
  const main = edits.filter(({ startPos }) => startPos > 0);
  const until = Math.max(...main.map(({ endPos }) => endPos));
  return {
    before: main.map(({ startPos, endPos }) => text.slice(startPos, endPos)).join('\n'),
    inside: around.text(),
    after: afterwards(text, around, until),
  };
}

/** Returns what may still run after a position in a function: not the other arms of a `match` that contains it. */
function afterwards(text: string, around: SgNode, until: number): string {
  const arms: SgNode[] = [];
  for (let node: SgNode | undefined = around; node !== undefined;) {
    if (node.kind() === 'match_arm') arms.unshift(node);
    node = node.children().find((child) => child.range().start.index < until && until <= child.range().end.index);
  }
  let at = until;
  let after = '';
  for (const arm of arms) {
    after += text.slice(at, arm.range().end.index);
    at = arm.parent()?.range().end.index ?? at;
  }
  return after + text.slice(at, Math.max(at, around.range().end.index));
}

/** Reports whether a node can name a place. A variable can only if it contains a function, an object or the result of a call. */
function isFunction(node: SgNode): boolean {
  if (node.kind() !== 'variable_declarator') return true;
  return ['arrow_function', 'object', 'call_expression'].includes(String(node.field('value')?.kind()));
}

/** Returns the replaced code and its replacement, shortened for display. */
function shown(text: string, edits: Site): { readonly before: string; readonly after: string } {
  const main = edits.filter(({ startPos }) => startPos > 0);
  const part = (of: readonly string[]): string => of.join(' … ').replaceAll(/\s+/g, ' ').slice(0, 160);
  return {
    before: part(main.map(({ startPos, endPos }) => text.slice(startPos, endPos))),
    after: part(main.map(({ insertedText }) => insertedText)),
  };
}
