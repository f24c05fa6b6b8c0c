/**
 * Operators that look alike in all languages, given the kinds of nodes of each: guards, conditions, steps.
 */
import { each, type Find, found, kinds, type Matcher, type Site, type SgNode } from '../syntax.ts';

/** The statement inside a block with one statement, or the node itself. */
function only(node: SgNode | null, block: string): SgNode | undefined {
  if (node === null) return undefined;
  if (node.kind() !== block) return node;
  const inside = statementsOf(node);
  return inside.length === 1 ? inside[0] : undefined;
}

/** Statements of a block, without comments. Go has them in a list of their own. */
export function statementsOf(block: SgNode): readonly SgNode[] {
  const children = block.namedChildren().filter((child) => !String(child.kind()).includes('comment'));
  const [list] = children;
  return list?.kind() === 'statement_list' ? statementsOf(list) : children;
}

/**
 * What a check is about whose absence only contention shows: which object it is, which version of it, whose it is. Other checks save work,
 * or are about something that no other client changes.
 */
const IDENTITY = ['uid', 'generation', 'version', 'owner', 'controlledby', 'current', 'stale', 'holder'];
/** Whether it still lives; of conditions, that is `ignores-terminating`'s. */
const LIFE = ['deletion', 'deleted', 'deleting', 'terminat', 'alive', 'living', 'finali[sz]er'];

export const ABOUT_OBJECTS: RegExp = new RegExp([...IDENTITY, ...LIFE].join('|'), 'i');
const ABOUT_IDENTITY = new RegExp(IDENTITY.join('|'), 'i');

export interface Branching {
  /** The kind of an `if`. */
  readonly branch: string;
  readonly block: string;
  /** The names of its fields. */
  readonly condition?: string;
  readonly then?: string;
  readonly otherwise?: string;
  /** Kinds of statements that leave. */
  readonly exits: readonly string[];
  /** What a removed statement becomes. */
  readonly nothing: string;
  /** Conditions that another operator changes. */
  readonly except?: RegExp;
}

/** An `if` without `else`, with its parts. */
function branches(root: SgNode, { branch, condition, then, otherwise, except }: Branching): readonly Branch[] {
  return root.findAll({ rule: { kind: branch } }).flatMap((node) => {
    if (node.field(otherwise ?? 'alternative') !== null || node.field('initializer') !== null) return [];
    const test = node.field(condition ?? 'condition');
    const body = node.field(then ?? 'consequence');
    if (test === null || body === null || except?.test(test.text()) === true) return [];
    return [{ node, test, body }];
  });
}

interface Branch {
  readonly node: SgNode;
  readonly test: SgNode;
  readonly body: SgNode;
}

/** Removes each `if` about an object's identity, version or life that leaves the function, the round of a loop, or throws. */
export function dropsGuard(shape: Branching): Find {
  return (root) =>
    branches(root, shape)
      .filter(({ test, body }) => isExit(body, shape) && ABOUT_OBJECTS.test(test.text()))
      .map(({ node }): Site => [node.replace(shape.nothing)]);
}

/** Removes each `if` with work in it. */
export function skipsBranch(shape: Branching): Find {
  return (root) =>
    branches(root, shape)
      .filter(({ body }) => !isExit(body, shape))
      .map(({ node }): Site => [node.replace(shape.nothing)]);
}

function isExit(body: SgNode, { block, exits }: Branching): boolean {
  const last = body.kind() === block ? statementsOf(body).at(-1) : only(body, block);
  const kind = last?.kind() === 'expression_statement' ? last.namedChildren()[0]?.kind() : last?.kind();
  return kind !== undefined && exits.includes(String(kind));
}

/** Drops each operand of "and" and "or" once that is about an object's identity or version. */
export function dropsOperand(kind: string, operators: readonly string[]): Find {
  return (root) =>
    root.findAll({ rule: { kind } }).flatMap((node) => {
      const operator = operatorOf(node);
      const [left, right] = [node.field('left'), node.field('right')];
      if (operator === undefined || !operators.includes(operator) || left === null || right === null) return [];
      const sites: Site[] = [];
      if (ABOUT_IDENTITY.test(right.text())) sites.push([node.replace(left.text())]);
      // Of `a && b && c`, the pair `a && b` drops its own two.
      const isFirst = left.kind() !== kind || operatorOf(left) !== operator;
      if (isFirst && ABOUT_IDENTITY.test(left.text())) sites.push([node.replace(right.text())]);
      return sites;
    });
}

function operatorOf(node: SgNode): string | undefined {
  return node.field('operator')?.text();
}

const COMMENT = /comment/;
const FUNCTION = /function|method|lambda|closure/;
const LOOP = /^(?:for|while|do|loop)_/;
const BLOCK = /block$|^statement_list$/;
/** Ends a function without a step and without a word. */
const END = /^(?:return(?: nil| None| ctrl\.Result\{\}, nil)?;?|Ok\(\(\)\))$/;

/**
 * Reports whether anything in the function relies on a step: a further one, also of the next round of a loop, or a condition. As the last
 * step, a write that meets a conflict may be left to the newer version, which comes with an event of its own.
 */
export function isRelied(step: SgNode): boolean {
  for (let node = step, parent = step.parent(); parent !== null; node = parent, parent = parent.parent()) {
    const kind = String(parent.kind());
    if (FUNCTION.test(kind)) return false;
    if (LOOP.test(kind) || parent.field('condition')?.id() === node.id()) return true;
    if (BLOCK.test(kind) && node.nextAll().some(isStep)) return true;
  }
  return false;
}

function isStep(node: SgNode): boolean {
  return node.isNamed() && !COMMENT.test(String(node.kind())) && !END.test(node.text());
}

/** Exchanges two neighbours that both match, of which the second needs nothing that the first declares. */
export function swapsSteps(block: Matcher, step: Matcher): Find {
  const rule = typeof step === 'string' ? step : { rule: step };
  return (root) =>
    found(root, block).flatMap((node) => {
      const statements = statementsOf(node);
      return statements.flatMap((first, index): Site[] => {
        const second = statements[index + 1];
        if (second === undefined || !first.matches(rule) || !second.matches(rule)) return [];
        return [[first.replace(second.text()), second.replace(first.text())]];
      });
    });
}

/** Removes each statement that matches. */
export function skips(matcher: Matcher, nothing: string): Find {
  return each(matcher, () => [nothing]);
}

export { kinds };
