/** Operators that are the same in all languages, given the node kinds of each language: guards, conditions, steps. */
import { each, type Find, found, kinds, type Matcher, type Site, type SgNode } from '../syntax.ts';

/** Returns the only statement of a block, or the node itself if it is not a block. */
function only(node: SgNode | null, block: string): SgNode | undefined {
  if (node === null) return undefined;
  if (node.kind() !== block) return node;
  const inside = statementsOf(node);
  return inside.length === 1 ? inside[0] : undefined;
}

/** Returns the statements of a block, without comments. In Go they are in a separate list node. */
export function statementsOf(block: SgNode): readonly SgNode[] {
  const children = block.namedChildren().filter((child) => !String(child.kind()).includes('comment'));
  const [list] = children;
  return list?.kind() === 'statement_list' ? statementsOf(list) : children;
}

/**
 * Words in conditions that matter only under contention: they check an object's identity, version or owner. Other conditions save work, or
 * are about something that no other client changes.
 */
const IDENTITY = ['uid', 'generation', 'version', 'owner', 'controlledby', 'current', 'stale', 'holder'];
/**
 * Words in conditions that check whether an object is being deleted. In operands of "and" and "or", the operator `ignores-terminating`
 * covers them.
 */
const LIFE = ['deletion', 'deleted', 'deleting', 'terminat', 'alive', 'living', 'finali[sz]er'];

export const ABOUT_OBJECTS: RegExp = new RegExp([...IDENTITY, ...LIFE].join('|'), 'i');
export const ABOUT_IDENTITY: RegExp = new RegExp(IDENTITY.join('|'), 'i');

export interface Branching {
  /** The node kind of an `if` statement. */
  readonly branch: string;
  readonly block: string;
  /** The field names of an `if` node, if they differ from the defaults. */
  readonly condition?: string;
  readonly then?: string;
  readonly otherwise?: string;
  /** Kinds of statements that leave the function or the iteration. */
  readonly exits: readonly string[];
  /** The replacement of a removed statement. */
  readonly nothing: string;
  /** Conditions to skip, because another operator covers them. */
  readonly except?: RegExp;
}

/** Returns each `if` without `else`, with its parts. */
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

/** Removes each `if` that checks an object's identity, version or deletion and that leaves the function or the iteration, or throws. */
export function dropsGuard(shape: Branching): Find {
  return (root) =>
    branches(root, shape)
      .filter(({ test, body }) => isExit(body, shape) && ABOUT_OBJECTS.test(test.text()))
      .map(({ node }): Site => [node.replace(shape.nothing)]);
}

/** Removes each `if` whose body does not leave the function. */
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

/** Drops each operand of "and" and "or" that checks an object's identity or version. */
export function dropsOperand(kind: string, operators: readonly string[]): Find {
  return (root) =>
    root.findAll({ rule: { kind } }).flatMap((node) => {
      const operator = operatorOf(node);
      const [left, right] = [node.field('left'), node.field('right')];
      if (operator === undefined || !operators.includes(operator) || left === null || right === null) return [];
      const sites: Site[] = [];
      if (ABOUT_IDENTITY.test(right.text())) sites.push([node.replace(left.text())]);
      // In `a && b && c`, the operands of the inner `a && b` are handled with that node.
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
/** Statements that end a function without another step or an error. */
const END = /^(?:return(?: nil| None| ctrl\.Result\{\}, nil)?;?|Ok\(\(\)\))$/;

/**
 * Reports whether anything in the function depends on a step: a later step, also in the next iteration of a loop, or a condition. If a
 * write is the last step, a conflict may be ignored: the newer version arrives with an event of its own.
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

/** Swaps two adjacent statements that both match. */
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
