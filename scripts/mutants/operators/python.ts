/** The mutation operators for Python with kopf and the official Kubernetes client. */
import { each, kinds, put, type Rule, type SgNode, type Site } from '../syntax.ts';
import type { Operators } from './idioms.ts';
import { type Branching, dropsGuard, dropsOperand, isRelied, skips, skipsBranch, swapsSteps } from './shapes.ts';

const BRANCHES: Branching = {
  branch: 'if_statement',
  block: 'block',
  exits: ['return_statement', 'continue_statement', 'raise_statement'],
  nothing: 'pass',
};

const CALL: Rule = { kind: 'expression_statement', has: { kind: 'call' } };
const WRITE: Rule = { ...CALL, regex: '(create|replace|delete)_namespaced|topics\\.remove' };

/** Returns the node's text, indented as a block below the line `opening`. */
function under(node: SgNode, opening: string, closing = ''): string {
  const margin = ' '.repeat(node.range().start.column);
  const body = node.text().replaceAll('\n', '\n    ');
  return `${opening}\n${margin}    ${body}${closing.replaceAll('\n', `\n${margin}`)}`;
}

export const python: Operators = {
  'drops-precondition': [each({ kind: 'keyword_argument', regex: '^preconditions=' }, () => [''])],
  'drops-version': [
    each({ ...CALL, regex: '^core\\.replace_namespaced' }, (node) => [
      `one.metadata.resource_version = None\n${' '.repeat(node.range().start.column)}${node.text()}`,
    ]),
  ],
  'swallows-error': [
    each(WRITE, (node) => [under(node, 'with __import__("contextlib").suppress(Exception):')]),
    skips({ kind: 'raise_statement', not: { regex: 'Error\\(' } }, 'pass'),
    each({ kind: 'raise_statement', regex: 'Error\\(' }, () => ['return True']),
    put('error.status not in (404, 409)', 'False', 'error.status not in (404, 409, 422)'),
  ],
  'swallows-conflict': [
    each(WRITE, (node) =>
      isRelied(node)
        ? [under(node, 'try:', '\nexcept client.ApiException as error:\n    if error.status != 409:\n        raise')]
        : [],
    ),
  ],
  'mistakes-error-for-absence': [put('error.status == 404', 'True')],
  'floats-write': [
    each({ ...CALL, regex: '^(insistently|topics\\.remove|core\\.)' }, (node) => {
      const [, callee, args] = node.text().match(/^([\w.]+)\((.*)\)$/s) ?? [];
      return callee === undefined ? [] : [`__import__("threading").Thread(target=${callee}, args=(${args},)).start()`];
    }),
  ],
  'requeues-at-once': [
    put('pause = min(2 * pause, 30)', 'pass', 'pause = 0.001'),
    put('insistently($WORK)', '$WORK()'),
  ],
  'dies-on-error': [
    each({ kind: 'except_clause', regex: '^except Exception as error' }, (node) => [
      node.text().replace(/logging.*/, '__import__("os")._exit(1)'),
    ]),
  ],
  'swaps-steps': [swapsSteps(kinds('block'), kinds('for_statement'))],
  'drops-owner': [
    skips({ ...CALL, regex: '^kopf\\.append_owner_reference' }, 'pass'),
    put('kopf.append_owner_reference($A, $B, controller=True, $C)', 'kopf.append_owner_reference($A, $B, $C)'),
  ],
  'drops-guard': [dropsGuard(BRANCHES)],
  'drops-operand': [dropsOperand('boolean_operator', ['and', 'or'])],
  'skips-step': [
    skipsBranch(BRANCHES),
    skips({ ...CALL, not: { regex: 'logging|load_config' } }, 'pass'),
    skips({ kind: 'expression_statement', regex: '^(patch|one|settings)\\.[\\w.]+(\\[.*?\\])? = ' }, 'pass'),
  ],
  'drops-watch': [
    each({ kind: 'decorator', regex: 'on\\.(event|resume|update|create|delete)' }, () => ['']),
    put(
      '@kopf.on.update(topics.GROUP, topics.VERSION, topics.PLURAL, field="spec")',
      '@kopf.on.update(topics.GROUP, topics.VERSION, topics.PLURAL, field="spec.partitions")',
    ),
  ],
  'drops-lock': [each({ kind: 'with_clause', regex: '^_lock$' }, () => ['__import__("contextlib").nullcontext()'])],
  'ignores-uid': [
    put('topic["metadata"]["uid"] == uid', 'True'),
    put('reference.uid == metadata["uid"]', 'reference.name == metadata["name"]'),
  ],
  'ignores-terminating': [put('"deletionTimestamp" not in topic["metadata"]', 'True')],
  'generates-names': [put('topics.partition(topic, name=name)', 'topics.partition(topic, generateName=f"{name}-")')],
  'drops-spread': [put('{**(one.data or {}), $KEY: $VALUE}', '{$KEY: $VALUE}')],
  'acts-once': [
    each(
      {
        kind: 'with_statement',
        inside: { kind: 'block', inside: { kind: 'function_definition', has: { field: 'name', regex: '^converge$' } } },
      },
      (node): readonly Site[] => {
        const step = node.find('step(topic)');
        if (step === null) return [];
        const key = '(topic["metadata"]["uid"], str(topic["spec"]))';
        const margin = ' '.repeat(step.range().start.column);
        return [
          [
            step.replace(
              `done = converge.__dict__.setdefault("done", set())\n${margin}if ${key} in done:\n${margin}    return topic\n${margin}done.add(${key})\n${margin}step(topic)`,
            ),
          ],
        ];
      },
    ),
  ],
};
