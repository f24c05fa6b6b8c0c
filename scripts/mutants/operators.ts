/**
 * Mutation operators: small edits of a correct controller that its author could have made by mistake.
 *
 * Owns: the edits, by family. They work on the syntax tree, without knowledge of a particular controller. Does not own: whether a mutant is
 * found (`soak-self/mutants.ts`).
 */
import { parseSync } from 'oxc-parser';

export type MutantFamily =
  | 'drop-version' // a replace without the version that was read
  | 'drop-fresh-read' // a read that repeats its first answer
  | 'drop-uid-precondition'
  | 'drop-predicate' // a guard that returns early, or that writes only when needed
  | 'drop-await'
  | 'swap-writes';

export interface Mutant {
  readonly family: MutantFamily;
  /** The line number, starting at 1. */
  readonly line: number;
  /** The replaced source. */
  readonly before: string;
  /** The text of the whole file after the edit. */
  readonly source: string;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Edit {
  readonly family: MutantFamily;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Text to append to the file. */
  readonly tail?: string;
}

/** A read that is made once per client and then answered from memory, like a cache that is wrongly assumed to be fresh. */
const STALE_READ = `
function staleRead(client, key, read) {
  const reads = (staleRead.byClient ??= new WeakMap());
  let known = reads.get(client);
  if (known === undefined) reads.set(client, (known = new Map()));
  if (!known.has(key)) known.set(key, read());
  return known.get(key);
}
`;

/** Returns all mutants of one source file. */
export function mutantsOf(fileName: string, source: string): readonly Mutant[] {
  const { program, errors } = parseSync(fileName, source);
  if (errors.length > 0)
    throw new SyntaxError(`${fileName} cannot be parsed: ${errors[0]?.message ?? 'unknown error'}`);
  const edits: Edit[] = [];
  visit(program as unknown as SyntaxNode, source, edits);
  return edits.map((edit) => ({
    family: edit.family,
    line: source.slice(0, edit.start).split('\n').length,
    before: source.slice(edit.start, edit.end),
    source: source.slice(0, edit.start) + edit.text + source.slice(edit.end) + (edit.tail ?? ''),
  }));
}

function visit(node: SyntaxNode, source: string, edits: Edit[]): void {
  const text = (of: SyntaxNode): string => source.slice(of.start, of.end);
  switch (node.type) {
    case 'CallExpression':
      edits.push(...callEdits(node, text));
      break;
    case 'Property':
      if (nameOf(node['key']) === 'preconditions') {
        edits.push({ family: 'drop-uid-precondition', start: node.start, end: node.end, text: '...{}' });
      }
      break;
    case 'IfStatement':
      edits.push(...guardEdits(node, text));
      break;
    case 'ExpressionStatement':
      if (isAwaitedCall(node)) {
        const inner = (node['expression'] as SyntaxNode)['argument'] as SyntaxNode;
        edits.push({ family: 'drop-await', start: node.start, end: node.end, text: `void ${text(inner)};` });
      }
      break;
    case 'BlockStatement':
      edits.push(...swapEdits(node, text));
      break;
    default:
  }
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, source, edits);
  }
}

function callEdits(node: SyntaxNode, text: (of: SyntaxNode) => string): readonly Edit[] {
  const callee = node['callee'] as SyntaxNode;
  if (callee.type !== 'MemberExpression') return [];
  const method = nameOf(callee['property']) ?? '';
  const args = node['arguments'] as readonly SyntaxNode[];
  if (/^(read|get|list)[A-Z]\w*(Namespaced|Cluster|Object|For)/.test(method) || /^(read|list)Namespaced/.test(method)) {
    const client = text(callee['object'] as SyntaxNode);
    const key = args[0] === undefined ? "''" : `JSON.stringify(${text(args[0])})`;
    const replaced = `staleRead(${client}, '${method}' + ${key}, () => ${text(node)})`;
    return [{ family: 'drop-fresh-read', start: node.start, end: node.end, text: replaced, tail: STALE_READ }];
  }
  const [first] = args;
  if (!/^replace[A-Z]/.test(method) || first?.type !== 'ObjectExpression') return [];
  const body = (first['properties'] as readonly SyntaxNode[]).find((property) => nameOf(property['key']) === 'body');
  if (body === undefined) return [];
  const value = text(body['value'] as SyntaxNode);
  const blind = `body: ((read) => ({ ...read, metadata: { ...read.metadata, resourceVersion: undefined } }))(${value})`;
  return [{ family: 'drop-version', start: body.start, end: body.end, text: blind }];
}

/** Removes `if (…) return;`, and makes the write in `if (needed) { write }` unconditional. */
function guardEdits(node: SyntaxNode, text: (of: SyntaxNode) => string): readonly Edit[] {
  if (node['alternate'] !== null && node['alternate'] !== undefined) return [];
  const consequent = node['consequent'] as SyntaxNode;
  const test = node['test'] as SyntaxNode;
  const leaves = consequent.type === 'ReturnStatement' || consequent.type === 'ContinueStatement';
  if (leaves) return [{ family: 'drop-predicate', start: node.start, end: node.end, text: ';' }];
  if (!/\bawait\b/.test(text(consequent))) return [];
  return [{ family: 'drop-predicate', start: test.start, end: test.end, text: 'true' }];
}

function swapEdits(node: SyntaxNode, text: (of: SyntaxNode) => string): readonly Edit[] {
  const statements = node['body'] as readonly SyntaxNode[];
  return statements.flatMap((statement, index): Edit[] => {
    const next = statements[index + 1];
    if (next === undefined || !isAwaitedCall(statement) || !isAwaitedCall(next)) return [];
    return [
      { family: 'swap-writes', start: statement.start, end: next.end, text: `${text(next)}\n${text(statement)}` },
    ];
  });
}

function isAwaitedCall(statement: SyntaxNode): boolean {
  if (statement.type !== 'ExpressionStatement') return false;
  const expression = statement['expression'] as SyntaxNode;
  return expression.type === 'AwaitExpression' && (expression['argument'] as SyntaxNode).type === 'CallExpression';
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function nameOf(key: unknown): string | undefined {
  return isNode(key) && key.type === 'Identifier' ? String(key['name']) : undefined;
}
