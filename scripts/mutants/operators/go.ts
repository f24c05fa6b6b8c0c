/** The mutation operators for Go with controller-runtime. The helper functions that mutants call are in `../compilers.ts`. */
import { each, type Find, kinds, part, put, type Rule, type SgNode, type Site } from '../syntax.ts';
import type { Operators } from './idioms.ts';
import { type Branching, dropsGuard, dropsOperand, isRelied, skips, skipsBranch, swapsSteps } from './shapes.ts';

const BRANCHES: Branching = {
  branch: 'if_statement',
  block: 'block',
  exits: ['return_statement', 'continue_statement'],
  nothing: '',
  except: /^err != nil$/,
};

/** Matches an expression. */
function expression(code: string): Rule {
  return part(`func f() { _ = ${code} }`, code.endsWith(')') ? 'call_expression' : 'binary_expression');
}

/** `if err := call; err != nil { return … }`. */
const CHECKED: Rule = {
  kind: 'if_statement',
  has: { field: 'initializer', regex: '^err := (r\\.|Create|controllerutil)' },
};

/** Reads, which do not return conflicts. */
const READ = /^r\.(?:Live\.)?(?:Get|List)\(/;
/** Reads of the cache, alone or in a helper function: they do not fail once the cache has synced. */
const CACHED = /\berr :?= r\.(?:Get|List|podsOf)\(/;

/** Reports whether the error that a statement is about comes from a call that can fail while the controller works. */
function canFail(node: SgNode): boolean {
  for (let at: SgNode | null = node; at !== null; at = at.parent()) {
    if (at.kind() === 'function_declaration' && at.field('name')?.text() === 'run') return false;
    if (at.kind() !== 'if_statement' || at.field('condition')?.text() !== 'err != nil') continue;
    if (CACHED.test((at.field('initializer') ?? at.prev())?.text() ?? '')) return false;
  }
  return true;
}

/** As `each`, for statements about errors that can occur. */
function eachError(matcher: Rule, replacements: (node: SgNode) => readonly (string | Site)[]): Find {
  return each(matcher, (node) => (canFail(node) ? replacements(node) : []));
}

function checkedCall(node: SgNode): string {
  return (
    node
      .field('initializer')
      ?.text()
      .replace(/^err := /, '') ?? ''
  );
}

/** `return call(…)` in a function whose only result is an error. */
const RETURNED: Rule = {
  kind: 'return_statement',
  regex: '^return (client\\.IgnoreNotFound\\(r\\.|r\\.(Patch|Status|Client)|controllerutil)',
};
/** `return ctrl.Result{}, call(…)`. */
const RETURNED_RESULT: Rule = { kind: 'return_statement', regex: '^return ctrl\\.Result\\{\\}, r\\.' };

function returned(node: SgNode): string {
  return node.text().replace(/^return (ctrl\.Result\{\}, )?/, '');
}

function before(node: SgNode, text: string): Site {
  return [{ startPos: node.range().start.index, endPos: node.range().start.index, insertedText: text }];
}

export const go: Operators = {
  'drops-precondition': [
    put(expression('r.Delete(ctx, pod, client.Preconditions{UID: &pod.UID})'), 'r.Delete(ctx, pod)'),
  ],
  'drops-version': [
    put(
      expression('client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})'),
      'client.MergeFrom(before)',
    ),
    each({ kind: 'return_statement', regex: '^return r\\.Status\\(\\)\\.Update' }, (node) => [
      before(node, 'latest.ResourceVersion = ""\n'),
    ]),
  ],
  'reads-cache': [put(expression('r.Live.Get($$$ARGS)'), 'r.Get($$$ARGS)')],
  'uses-cached': [
    put(expression('SetStatus(latest, pods)'), 'SetStatus(fleet, pods)'),
    put(expression('r.Status().Update(ctx, latest)'), 'r.Status().Update(ctx, fleet)'),
  ],
  'swallows-error': [
    eachError(CHECKED, (node) => [`_ = ${checkedCall(node)}`]),
    eachError({ kind: 'if_statement', has: { field: 'condition', regex: '^err != nil$' }, not: CHECKED }, () => [
      '_ = err',
    ]),
    eachError(RETURNED, (node) => [`_ = ${returned(node)}\nreturn nil`]),
    eachError(RETURNED_RESULT, (node) => [`_ = ${returned(node)}\nreturn ctrl.Result{}, nil`]),
    eachError({ kind: 'return_statement', regex: '^return ctrl\\.Result\\{\\}, err$' }, () => [
      'return ctrl.Result{}, nil',
    ]),
    eachError(part('func f() { return err }', 'return_statement'), () => ['return nil']),
  ],
  'swallows-conflict': [
    each(CHECKED, (node) => {
      const call = node.field('initializer');
      return call === null || READ.test(checkedCall(node)) || !isRelied(node)
        ? []
        : [[call.replace(`err := ignoreConflict(${checkedCall(node)})`)]];
    }),
  ],
  'mistakes-error-for-absence': [eachError(expression('client.IgnoreNotFound(err)'), () => ['ignoreAny(err)'])],
  'floats-write': [
    eachError(CHECKED, (node) => [`go func() { _ = ${checkedCall(node)} }()`]),
    each(RETURNED, (node) => [`go func() { _ = ${returned(node)} }()\nreturn nil`]),
  ],
  'requeues-at-once': [
    eachError({ kind: 'return_statement', regex: '^return ctrl\\.Result\\{\\}, err$' }, () => [
      'return ctrl.Result{RequeueAfter: atOnce}, ignoreAny(err)',
    ]),
    each(RETURNED_RESULT, (node) => [
      `if err := ${returned(node)}; err != nil {\nreturn ctrl.Result{RequeueAfter: atOnce}, nil\n}\nreturn ctrl.Result{}, nil`,
    ]),
  ],
  'dies-on-error': [
    eachError({ kind: 'return_statement', regex: '^return ctrl\\.Result\\{\\}, err$' }, () => [
      'return ctrl.Result{}, die(err)',
    ]),
    each(RETURNED_RESULT, (node) => [`return ctrl.Result{}, die(${returned(node)})`]),
  ],
  'swaps-steps': [swapsSteps(kinds('block'), { any: [CHECKED, { kind: 'for_statement' }] })],
  'drops-owner': [
    each({ kind: 'call_expression', regex: '^controllerutil\\.SetControllerReference' }, (node) => [
      'error(nil)',
      node.text().replace('SetControllerReference', 'SetOwnerReference'),
    ]),
  ],
  'drops-guard': [dropsGuard(BRANCHES)],
  'drops-operand': [dropsOperand('binary_expression', ['&&', '||'])],
  'skips-step': [
    skipsBranch(BRANCHES),
    skips({ kind: 'expression_statement', regex: '^(SetStatus|meta\\.)' }, ''),
    skips({ kind: 'assignment_statement', inside: { kind: 'statement_list' } }, ''),
  ],
  'drops-watch': [put(part('func f() { $B.Owns($X) }', 'call_expression'), '$B')],
  'acts-once': [
    each(
      {
        kind: 'short_var_declaration',
        regex: '^before := fleet\\.DeepCopy',
        inside: {
          kind: 'statement_list',
          inside: {
            kind: 'block',
            inside: { kind: 'method_declaration', has: { field: 'name', regex: '^Reconcile$' } },
          },
        },
      },
      (node) => [before(node, 'if seen(fleet.UID, fleet.Generation) {\nreturn ctrl.Result{}, nil\n}\n')],
    ),
  ],
  'ignores-uid': [
    put(expression('latest.UID != fleet.UID'), 'false'),
    put(
      expression('metav1.IsControlledBy(&pod, fleet)'),
      'pod.Labels[FleetLabel] == fleet.Name',
      'len(pod.OwnerReferences) > 0 && pod.OwnerReferences[0].Name == fleet.Name',
    ),
  ],
  'ignores-terminating': [put(expression('$X.DeletionTimestamp.IsZero()'), 'true')],
  'generates-names': [
    put(part('func f() { pod.Name = name }', 'assignment_statement'), 'pod.GenerateName = name + "-"'),
  ],
  'drops-spread': [
    each({ kind: 'if_statement', has: { field: 'condition', regex: '^settings.Data == nil$' } }, (node) => [
      [node.replace('settings.Data = map[string]string{}')],
    ]),
  ],
};
