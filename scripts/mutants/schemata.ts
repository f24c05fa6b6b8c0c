/**
 * Builds all mutants of a compiled language as one program; the environment variable {@link SELECTOR} selects one by its id.
 *
 * Each function with mutants becomes a choice between its body and the mutated ones, so that one build contains all of them. Mutants that
 * the compiler refuses are removed, and the build is repeated. Owns: the text of the sources, and which mutants are left out. Does not own:
 * the compiler calls (`compilers.ts`).
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../cache-folder.ts';
import { COMPILERS, type Refusal } from './compilers.ts';
import { type Mutant, mutantsOf, ROOT } from './generate.ts';
import { SOURCES } from './sources.ts';
import { found, kinds, type Language, parseSource, type SgNode } from './syntax.ts';

/** The environment variable that selects a mutant by its id. */
export const SELECTOR = 'MUTANT';

export type Compiled = Exclude<Language, 'typescript' | 'python'>;

export function isCompiled(language: Language): language is Compiled {
  return language !== 'typescript' && language !== 'python';
}

/** The syntax node kinds of functions. */
const FUNCTIONS: { readonly [language in Compiled]: readonly string[] } = {
  go: ['function_declaration', 'method_declaration'],
  java: ['method_declaration'],
  rust: ['function_item'],
};

const folders = new Map<Compiled, string>();

/** Returns the folder of the build of a language's mutants, which may not exist yet. */
export function schemataFolder(language: Compiled): string {
  const known = folders.get(language);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for (const { id, text } of mutantsIn(language)) hash.update(`${id}\0${text}\0`);
  hash.update(COMPILERS[language].support.map(({ text }) => text).join('\0'));
  const folder = cacheFolder('mutants', `${language}-${hash.digest('hex').slice(0, 12)}`);
  folders.set(language, folder);
  return folder;
}

function mutantsIn(language: Compiled): readonly Mutant[] {
  return SOURCES.filter((source) => source.language === language).flatMap((source) => mutantsOf(source));
}

/** Returns the ids of mutants that the compiler refuses, or that are not in a function. Builds all mutants first if needed. */
export async function build(language: Compiled): Promise<ReadonlySet<string>> {
  const folder = schemataFolder(language);
  const list = join(folder, 'refused.json');
  if (!existsSync(list)) await buildInto(language, folder);
  return new Set(JSON.parse(readFileSync(list, 'utf8')) as readonly string[]);
}

async function buildInto(language: Compiled, folder: string): Promise<void> {
  const compiler = COMPILERS[language];
  const sources = cacheFolder('mutants', `${language}-sources`);
  const out = `${folder}.${process.pid}`;
  rmSync(sources, { recursive: true, force: true });
  cpSync(join(ROOT, language), sources, { recursive: true });
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const { file, text } of compiler.support) {
    const path = join(sources, file);
    const old = existsSync(path) ? readFileSync(path, 'utf8') : '';
    writeFileSync(path, old + text);
  }
  const all = mutantsIn(language);
  const refused = new Set<string>();
  for (;;) {
    const arms = writeSchemata(language, sources, all, refused);
    const refusals = await compiler.compile({ sources, out, log: `${out}.log` });
    if (refusals.length === 0) break;
    const before = refused.size;
    for (const refusal of refusals) {
      const arm = arms.find((one) => isIn(refusal, one));
      if (arm !== undefined) refused.add(arm.id);
    }
    if (refused.size === before)
      throw new Error(`${language} does not compile: ${JSON.stringify(refusals.slice(0, 3))}`);
  }
  writeFileSync(join(out, 'refused.json'), JSON.stringify([...refused], undefined, 1));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(out, folder);
  await compiler.finish?.({ sources, out: folder, log: `${folder}.log` });
}

/** The line range of one mutant's body. */
interface Arm {
  readonly id: string;
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

function isIn({ file, line }: Refusal, arm: Arm): boolean {
  return file.endsWith(arm.file) && line >= arm.from && line <= arm.to;
}

/** Writes each source with its mutants, except for the refused ones; adds mutants that are not in a function to `refused`. */
function writeSchemata(
  language: Compiled,
  sources: string,
  all: readonly Mutant[],
  refused: Set<string>,
): readonly Arm[] {
  const arms: Arm[] = [];
  for (const [file, mutants] of Map.groupBy(all, (mutant) => mutant.file)) {
    const text = readFileSync(ROOT + file, 'utf8');
    const root = parseSource(language, text);
    const inside = file.slice(language.length + 1);
    const bodies = new Map<number, { readonly body: SgNode; readonly mutants: Mutant[] }>();
    for (const mutant of mutants) {
      const body = bodyAround(root, FUNCTIONS[language], mutant);
      if (body === undefined) refused.add(mutant.id);
      if (body === undefined || refused.has(mutant.id)) continue;
      const at = body.range().start.index;
      if (!bodies.has(at)) bodies.set(at, { body, mutants: [] });
      bodies.get(at)?.mutants.push(mutant);
    }
    let written = '';
    let done = 0;
    for (const { body, mutants: own } of [...bodies.values()].toSorted(
      (a, b) => a.body.range().start.index - b.body.range().start.index,
    )) {
      const { start, end } = body.range();
      written += text.slice(done, start.index);
      const choice = COMPILERS[language].choice;
      written += choice.open;
      for (const mutant of own) {
        const from = written.split('\n').length;
        written += `${choice.arm(mutant.id)} ${mutated(text, body, mutant)}${choice.after}\n`;
        arms.push({ id: mutant.id, file: inside, from, to: written.split('\n').length - 1 });
      }
      written += `${choice.otherwise} ${text.slice(start.index, end.index)}${choice.after}\n${choice.close}`;
      done = end.index;
    }
    writeFileSync(join(sources, inside), written + text.slice(done));
  }
  return arms;
}

/**
 * Returns the body of the outermost function that contains all edits; undefined if its return type is an `impl` type, which would differ
 * between bodies.
 */
function bodyAround(root: SgNode, functionKinds: readonly string[], { edits }: Mutant): SgNode | undefined {
  const functions = found(root, kinds(...functionKinds));
  for (const one of functions) {
    const body = one.field('body');
    if (body === null) continue;
    const { start, end } = body.range();
    const holds = edits.every(({ startPos, endPos }) => startPos > start.index && endPos < end.index);
    if (holds) return one.field('return_type')?.text().startsWith('impl') === true ? undefined : body;
  }
  return undefined;
}

/** Returns the body with the edits applied. */
function mutated(text: string, body: SgNode, { edits }: Mutant): string {
  const { start, end } = body.range();
  let result = '';
  let at = start.index;
  for (const { startPos, endPos, insertedText } of edits.toSorted((a, b) => a.startPos - b.startPos)) {
    result += text.slice(at, startPos) + insertedText;
    at = endPos;
  }
  return result + text.slice(at, end.index);
}
