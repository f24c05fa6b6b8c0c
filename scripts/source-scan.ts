/**
 * Parses a source file for the checks of this folder: its imports, its texts, and its uses of time and randomness.
 *
 * Owns: parsing (oxc-parser) and the walk over the tree. Does not own: which import, name or word is allowed where (check-layers.ts,
 * plain-words.ts). Start at `scanSource`.
 */
import { parseSync } from 'oxc-parser';

export interface ImportUse {
  /** As written: `../model/label.ts`, `node:net`, `yaml`. */
  readonly specifier: string;
  readonly line: number;
}

export interface NameUse {
  /** For example `Date.now`, `setTimeout`, `new Date()`. */
  readonly name: string;
  readonly line: number;
}

export interface SourceScan {
  readonly imports: readonly ImportUse[];
  readonly clockAndRandom: readonly NameUse[];
}

/** Members of known objects that read a clock or random numbers. */
const MEMBERS: { readonly [object: string]: readonly string[] } = {
  Date: ['now'],
  Math: ['random'],
  performance: ['now'],
  process: ['hrtime'],
};
const MEMBERS_OF_ANYTHING = new Set(['randomUUID', 'getRandomValues']);
const FREE_NAMES = new Set(['setTimeout', 'setInterval', 'randomUUID']);
const GLOBAL_OBJECTS = new Set(['globalThis', 'global']);

/** A string, or the part of a template between two expressions. */
export interface SourceText {
  readonly text: string;
  readonly line: number;
}

interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** Returns every import, re-export, dynamic import and import type with a literal specifier, and every use of a clock or of randomness. */
export function scanSource(file: string, text: string): SourceScan {
  const imports: ImportUse[] = [];
  const clockAndRandom: NameUse[] = [];
  walk(parsed(file, text), (node) => {
    const specifier = importedBy(node);
    if (specifier !== undefined) imports.push({ specifier, line: lineAt(text, node.start) });
    const name = clockOrRandom(node);
    if (name !== undefined) clockAndRandom.push({ name, line: lineAt(text, node.start) });
  });
  return { imports, clockAndRandom };
}

/** Returns the texts that a program may print: its string literals and the texts of its templates. */
export function textsIn(file: string, text: string): readonly SourceText[] {
  const texts: SourceText[] = [];
  walk(parsed(file, text), (node) => {
    const shown = node.type === 'TemplateElement' ? (node['value'] as { raw: string }).raw : literal(node);
    if (shown !== undefined) texts.push({ text: shown, line: lineAt(text, node.start) });
  });
  return texts;
}

/** Tests that never run on any machine: `it.skip(…)`, `describe.skip.each(…)(…)`, `it.todo(…)`. */
const NEVER_RUN = new Set(['skip', 'todo']);

/** Returns the string literals of a test file, including titles, but without those of tests that never run. */
export function testTexts(file: string, text: string): ReadonlySet<string> {
  const texts = new Set<string>();
  walk(parsed(file, text), (node) => {
    const found = literal(node);
    if (found !== undefined) texts.add(found);
    return !(node.type === 'CallExpression' && calledBy(node['callee']).some((name) => NEVER_RUN.has(name)));
  });
  return texts;
}

/** For example `it.concurrent.each(…)` → it, concurrent, each. */
function calledBy(callee: unknown): readonly string[] {
  if (!isNode(callee)) return [];
  if (callee.type === 'MemberExpression')
    return [...calledBy(callee['object']), identifier(callee['property']) ?? literal(callee['property']) ?? ''];
  const name = identifier(callee);
  return name === undefined ? calledBy(callee['callee'] ?? callee['tag']) : [name];
}

function parsed(file: string, text: string): TreeNode {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`"${file}" does not parse: ${errors[0]?.message ?? 'unknown error'}`);
  return program as unknown as TreeNode;
}

function importedBy(node: TreeNode): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return literal(node['source']) ?? literal(node['argument']);
    case 'TSExternalModuleReference':
      return literal(node['expression']);
    default:
      return undefined;
  }
}

function clockOrRandom(node: TreeNode): string | undefined {
  switch (node.type) {
    case 'MemberExpression':
      return bannedMember(node);
    case 'NewExpression':
      return identifier(node['callee']) === 'Date' && isEmpty(node['arguments']) ? 'new Date()' : undefined;
    case 'CallExpression':
      return bannedCall(node);
    case 'ImportSpecifier':
      return inSet(FREE_NAMES, identifier(node['imported']));
    default:
      return undefined;
  }
}

function bannedMember(node: TreeNode): string | undefined {
  const object = identifier(node['object']);
  const property = node['computed'] === true ? literal(node['property']) : identifier(node['property']);
  if (property === undefined) return undefined;
  if (MEMBERS_OF_ANYTHING.has(property)) return property;
  if (object !== undefined && GLOBAL_OBJECTS.has(object)) return inSet(FREE_NAMES, property);
  return object !== undefined && (Object.hasOwn(MEMBERS, object) ? MEMBERS[object] : undefined)?.includes(property)
    ? `${object}.${property}`
    : undefined;
}

/** `setTimeout(…)`, and also `promisify(setTimeout)`, where it is passed as an argument. */
function bannedCall(node: TreeNode): string | undefined {
  const callee = identifier(node['callee']);
  if (callee === 'Date') return 'Date()';
  const handedOn = (node['arguments'] as readonly unknown[]).map(identifier);
  return [callee, ...handedOn].find((name) => name !== undefined && FREE_NAMES.has(name));
}

/** @param visit - Returns false for a node whose children are skipped. */
function walk(node: TreeNode, visit: (node: TreeNode) => boolean | void): void {
  if (visit(node) === false) return;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit);
  }
}

function isNode(value: unknown): value is TreeNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

function identifier(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Identifier' ? (value['name'] as string) : undefined;
}

function literal(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Literal' && typeof value['value'] === 'string' ? value['value'] : undefined;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function inSet(names: ReadonlySet<string>, name: string | undefined): string | undefined {
  return name !== undefined && names.has(name) ? name : undefined;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
