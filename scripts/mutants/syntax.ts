/**
 * Syntax trees of the five languages of the controllers under test, and edits of their nodes.
 *
 * Owns: the parsers, and templates that insert the parts that a pattern matched. Does not own: which nodes are edited (`operators/`).
 */
import go from '@ast-grep/lang-go';
import java from '@ast-grep/lang-java';
import python from '@ast-grep/lang-python';
import rust from '@ast-grep/lang-rust';
import { type Edit, Lang, type NapiConfig, parse, registerDynamicLanguage, type SgNode } from '@ast-grep/napi';

export type { Edit, SgNode } from '@ast-grep/napi';

export type Language = 'typescript' | 'go' | 'python' | 'rust' | 'java';

export const LANGUAGES: readonly Language[] = ['typescript', 'go', 'python', 'rust', 'java'];

let isRegistered = false;

/** Returns the root of a file's syntax tree. */
export function parseSource(language: Language, text: string): SgNode {
  if (language === 'typescript') return parse(Lang.TypeScript, text).root();
  // Registering the languages a second time would fail.
  if (!isRegistered) registerDynamicLanguage({ go, java, python, rust });
  isRegistered = true;
  return parse(language, text).root();
}

/** The edits of one mutant, all in one place of one file. */
export type Site = readonly Edit[];

/** Finds the places in a file that an operator applies to. */
export type Find = (root: SgNode) => readonly Site[];

/** A rule of ast-grep. */
export type Rule = NapiConfig['rule'] & object;

/** A pattern for a node: code with `$NAME` for any expression, or a rule. */
export type Matcher = string | Rule;

/** Returns the nodes below a node that match. */
export function found(root: SgNode, matcher: Matcher): readonly SgNode[] {
  return root.findAll(typeof matcher === 'string' ? matcher : { rule: matcher });
}

/** Replaces each matching node by each of the templates: `$NAME` and `$$$NAME` are the matched parts, `$0` is the node. */
export function put(matcher: Matcher, ...templates: readonly string[]): Find {
  return (root) =>
    found(root, matcher).flatMap((node) => templates.map((template): Site => [node.replace(filled(template, node))]));
}

/** Makes arbitrary edits to each matching node: one mutant for each text or list of edits that `make` returns. */
export function each(matcher: Matcher, make: (node: SgNode) => readonly (string | Site)[]): Find {
  return (root) =>
    found(root, matcher).flatMap((node) =>
      make(node).map((one): Site => (typeof one === 'string' ? [node.replace(one)] : one)),
    );
}

/** Returns a matcher for nodes of these kinds. */
export function kinds(...names: readonly string[]): Rule {
  return { any: names.map((kind) => ({ kind })) };
}

/** Matches code that is not a statement by itself: `code` is a statement that contains it, `kind` is the node kind of the code. */
export function part(code: string, kind: string): Rule {
  return { pattern: { context: code, selector: kind } };
}

function filled(template: string, node: SgNode): string {
  return template.replaceAll(/\$\$\$([A-Z]+)|\$([A-Z]+|0)/g, (_, many?: string, one?: string) => {
    if (many !== undefined) return textOf(node.getMultipleMatches(many), node);
    return one === '0' ? node.text() : (node.getMatch(one ?? '')?.text() ?? '');
  });
}

/** Returns the source from the first to the last of these nodes, including the text between them. */
function textOf(nodes: readonly SgNode[], within: SgNode): string {
  const [first, last] = [nodes[0], nodes.at(-1)];
  if (first === undefined || last === undefined) return '';
  const from = within.range().start.index;
  return within.text().slice(first.range().start.index - from, last.range().end.index - from);
}
