/** The mutation operators for TypeScript with client-node. */
import { each, kinds, part, put, type Rule, type SgNode, type Site } from '../syntax.ts';
import type { Operators } from './idioms.ts';
import { type Branching, dropsGuard, dropsOperand, isRelied, skips, skipsBranch, swapsSteps } from './shapes.ts';

const BRANCHES: Branching = {
  branch: 'if_statement',
  block: 'statement_block',
  exits: ['return_statement', 'continue_statement', 'throw_statement'],
  nothing: ';',
};

/** Calls that write, by function name. */
const WRITES = '^(create|replace|patch|delete|remove|resize|fix|adopt|setFinalizers|takeOver)';

const WRITE = {
  kind: 'call_expression',
  any: [
    { has: { field: 'function', kind: 'identifier', regex: WRITES } },
    { has: { field: 'function', kind: 'member_expression', has: { field: 'property', regex: WRITES } } },
    { has: { field: 'function', regex: '^orUndefined$' }, regex: '(replace|patch|delete)Namespaced' },
  ],
};
const AWAITED_WRITE = { kind: 'await_expression', has: WRITE };
/** Writes that can conflict: only API servers answer with a conflict, not the external service. */
const CONFLICTING = { ...AWAITED_WRITE, not: { regex: '^await service\\.' } };
const IS_CONFLICT = '(error as { readonly code?: number }).code === 409';

/** Matches the property of this name in an object literal. */
function property(name: string): Rule {
  return {
    any: [
      { kind: 'shorthand_property_identifier', regex: `^${name}$` },
      { kind: 'pair', has: { field: 'key', regex: `^${name}$` } },
    ],
  };
}

/** Removes an item of a list, with the comma after it. */
function without(node: SgNode): Site {
  const next = node.next();
  const edit = node.replace('');
  return next?.text() === ',' ? [{ ...edit, endPos: next.range().end.index }] : [edit];
}

/** Matches a read in the callback of `retryOnConflict`. */
const IN_RETRY = {
  kind: 'await_expression',
  has: { kind: 'call_expression', has: { field: 'function', regex: '^(readLive|claim)$' } },
  inside: { pattern: 'retryOnConflict($_)', stopBy: 'end' as const },
};

function retryAround(node: SgNode): SgNode | undefined {
  return node.ancestors().find((outer) => outer.kind() === 'call_expression' && outer.text().startsWith('retryOnC'));
}

export const typescript: Operators = {
  'drops-precondition': [
    each({ kind: 'object', inside: { any: [property('preconditions'), declares('preconditions')] } }, () => ['{}']),
  ],
  'drops-version': [
    each({ ...property('resourceVersion'), not: inPreconditions(), inside: { kind: 'object' } }, (node) =>
      node.text().includes("'0'") ? [] : [without(node)],
    ),
    put(
      '{ ...$OBJECT, status }',
      '{ ...$OBJECT, metadata: { ...$OBJECT.metadata, resourceVersion: undefined as unknown as string }, status }',
    ),
    put(
      part('({ ...disk, status: $S })', 'object'),
      '{ ...disk, metadata: { ...disk.metadata, resourceVersion: undefined as unknown as string }, status: $S }',
    ),
    put(
      part('({ ...live, spec: $S })', 'object'),
      '{ ...live, metadata: { ...live.metadata, resourceVersion: undefined as unknown as string }, spec: $S }',
    ),
    put(
      part('({ body: deployment })', 'pair'),
      'body: { ...deployment, metadata: { ...deployment.metadata, resourceVersion: undefined as unknown as string } }',
    ),
  ],
  'reads-cache': [
    put('await readLive($_, $OBJECT)', '($OBJECT as typeof $OBJECT | undefined)'),
    put('await core.listNamespacedPod($_)', '{ items: [...clients.pods.list(namespace)] }'),
    put('await orUndefined(core.readNamespacedConfigMap($_))', 'settings.get(name, namespace)'),
    put(
      '(await orUndefined(custom.getNamespacedCustomObject(path))) as Disk | undefined',
      'disks.get(name, namespace)',
    ),
    put('await orUndefined(apps.readNamespacedDeployment($_))', 'clients.deployments.get(name, namespace)'),
    each({ kind: 'await_expression', regex: '^await thing.read\\(\\)$', inside: inFunction('provide') }, () => [
      '(clients.settings.get(thing.name, clients.namespace) ?? clients.credentials.get(thing.name, clients.namespace))',
    ]),
  ],
  'uses-cached': [
    each(part('const $LIVE = await readLive($_, $CACHED)', 'lexical_declaration'), (node) => {
      const block = node.parent();
      const [live, cached] = [node.getMatch('LIVE')?.text() ?? '', node.getMatch('CACHED')?.text() ?? ''];
      const uses = block?.findAll({
        // Arguments of writes are not replaced: a write with the version of the cached object would be refused.
        rule: {
          kind: 'identifier',
          regex: `^${live}$`,
          inside: {
            kind: 'arguments',
            not: { inside: { kind: 'call_expression', has: { field: 'function', regex: WRITES } } },
          },
        },
      });
      return (uses ?? [])
        .filter((use) => use.range().start.index > node.range().end.index)
        .map((use): Site => [use.replace(cached)]);
    }),
  ],
  'keeps-refused': [
    each(IN_RETRY, (node) => {
      const call = retryAround(node);
      if (call === undefined) return [];
      const read = node.text();
      return [
        [
          edit(call, call.range().start.index, `((kept: unknown) => retryForever(`, 'retryOnConflict('.length),
          edit(call, call.range().end.index, `)(undefined)`),
          node.replace(
            `structuredClone(kept ??= ${read}) as Awaited<ReturnType<typeof ${read.replace(/^await (\w+).*$/s, '$1')}>>`,
          ),
          edit(call, 0, RETRY_FOREVER),
        ],
      ];
    }),
  ],
  'refreshes-version-only': [
    each(IN_RETRY, (node) => {
      const call = retryAround(node);
      if (call === undefined) return [];
      return [
        [
          edit(call, call.range().start.index, '((kept: any) => '),
          edit(call, call.range().end.index, ')(undefined)'),
          node.replace(
            `await ${node.text().slice('await '.length)}.then((now: any) => structuredClone(kept = kept === undefined || now === undefined ? now : { ...kept, metadata: { ...kept.metadata, resourceVersion: now.metadata?.resourceVersion } }))`,
          ),
        ],
      ];
    }),
  ],
  'swallows-error': [
    put(AWAITED_WRITE, '$0.catch(() => undefined)'),
    skips({ kind: 'throw_statement', regex: '^throw error', inside: { kind: 'statement_block' } }, ';'),
    put('if ($C) throw error', ';'),
    skips({ pattern: 'throw new Error($_)' }, ';'),
  ],
  'swallows-conflict': [
    each(CONFLICTING, (node) =>
      isRelied(node)
        ? [`${node.text()}.catch((error: unknown) => { if (!(${IS_CONFLICT})) throw error; return undefined; })`]
        : [],
    ),
  ],
  'mistakes-error-for-absence': [
    each('orUndefined($READ)', (node) =>
      /(replace|patch|delete)Namespaced/.test(node.text())
        ? []
        : [`${node.getMatch('READ')?.text() ?? ''}.catch(() => undefined)`],
    ),
  ],
  'floats-write': [
    each(
      { kind: 'expression_statement', has: { kind: 'await_expression', has: { kind: 'call_expression' } } },
      (node) => {
        const call = node
          .text()
          .replace(/^await /, '')
          .replace(/;$/, '');
        return [`void ${call}.catch(() => undefined);`];
      },
    ),
  ],
  'requeues-at-once': [
    put(
      'Math.max(backoffMs(failures, BACKOFF), retryAfterMs(error))',
      '0',
      'BACKOFF.baseMs',
      'retryAfterMs(error)',
      'backoffMs(failures, BACKOFF)',
    ),
    put('n === ATTEMPTS', 'n === 1000'),
    put('this.#failures.set(key, failures + 1)', 'this.#failures.set(key, 0)'),
    put('!isConflict(error) || n === ATTEMPTS', 'n === 50'),
  ],
  'swaps-steps': [
    swapsSteps(kinds('statement_block'), {
      any: [
        { kind: 'expression_statement', has: { kind: 'await_expression' } },
        { kind: 'for_in_statement', has: { kind: 'await_expression', stopBy: 'end' } },
      ],
    }),
    put(
      'if (await $FIRST(clients, $X)) await $THEN(clients, $X);',
      'await $THEN(clients, $X); await $FIRST(clients, $X);',
    ),
    put(
      'if (settled || (await rollOut($$$A))) await report($$$B);',
      'await report($$$B); if (!settled) await rollOut($$$A);',
    ),
  ],
  'drops-owner': [
    each({ ...property('ownerReferences'), inside: { kind: 'object' } }, (node) => [without(node)]),
    each({ ...property('controller'), inside: { kind: 'object' } }, (node) => [without(node)]),
  ],
  'drops-guard': [dropsGuard({ ...BRANCHES, except: /isConflict\(error\)/ })],
  'drops-operand': [dropsOperand('binary_expression', ['&&', '||'])],
  'skips-step': [
    skipsBranch(BRANCHES),
    skips(
      {
        kind: 'expression_statement',
        has: { any: [{ kind: 'await_expression' }, { kind: 'call_expression' }, { kind: 'assignment_expression' }] },
      },
      ';',
    ),
  ],
  'replaces-list': [
    put('[...($LIST ?? []), $ITEM]', '[$ITEM]'),
    put('[...$LIST, $ITEM]', '[$ITEM]'),
    put('[...others, ...ours]', '[...ours]'),
    put('$LIST.filter((finalizer) => finalizer !== FINALIZER)', '[]'),
    put('conditions.map($_)', '[fresh]'),
  ],
  'drops-spread': [
    each({ kind: 'spread_element', inside: { kind: 'object' } }, (node) =>
      /^\.\.\.(status|disk\.status|metadata\.labels)$/.test(node.text()) ? [without(node)] : [],
    ),
  ],
  'drops-watch': [
    put(part('({ onChange: ($X) => queue.add($Y) })', 'pair'), 'onChange: () => undefined'),
    put(part('({ onChange: (object) => addBucket($Y) })', 'pair'), 'onChange: () => undefined'),
    each(part('informer.on($EVENT, $H)', 'call_expression'), () => ['undefined']),
    put(
      "tell('update')",
      '(object: T) => { failures = 0; if (informer.get(object.metadata?.name ?? "", object.metadata?.namespace) === undefined) onChange(object, "update"); }',
    ),
  ],
  'acts-once': [
    each({ kind: 'function_declaration', has: { field: 'name', regex: '^reconcile$' } }, (node) => {
      const first = node.field('body')?.namedChildren()[0];
      const name = first?.text().match(/^const (\w+) = \w+\.get\(name, namespace\);$/)?.[1];
      if (first === undefined || name === undefined) return [];
      const key = `\`\${${name}?.metadata?.uid}/\${${name}?.metadata?.generation}/\${${name}?.metadata?.deletionTimestamp}\``;
      const memory = edit(node, node.range().start.index, 'const done = new Set<string>();\n');
      const body = node.field('body');
      if (body === null) return [];
      return [
        [memory, edit(first, first.range().end.index, `\nif (done.has(${key})) return;\ndone.add(${key});`)],
        [
          memory,
          edit(first, first.range().end.index, `\nif (done.has(${key})) return;\nawait (async () => {`),
          edit(body, body.range().end.index - 1, `})();\nif (${name} !== undefined) done.add(${key});`),
        ],
      ];
    }),
  ],
  'starts-early': [put('await Promise.all($_)', 'undefined'), put('setImmediate(resolve)', 'resolve()')],
  'dies-on-error': [
    each({ kind: 'catch_clause', inside: inFunction('#work') }, (node) => {
      const body = node.field('body');
      return body === null ? [] : [[edit(body, body.range().start.index + 1, '\nprocess.exit(1);')]];
    }),
    put("informer.on('error', startLater)", "informer.on('error', (error: unknown) => { throw error; })"),
  ],
  'changes-key': [
    put(
      'service.create($DISK, owner)',
      'service.create($DISK, undefined)',
      'service.create($DISK, globalThis.crypto.randomUUID())',
    ),
    put(
      'service.create($DISK, owner)',
      'service.create($DISK, metadata?.name)',
      'service.create($DISK, metadata?.resourceVersion)',
    ),
  ],
  'ignores-uid': [
    put('$A === $B.metadata?.uid', 'true'),
    put('$A !== $B.metadata?.uid', 'false'),
    put('$A?.uid !== uid', 'false'),
  ],
  'ignores-terminating': [
    each('isTerminating($X)', (node) => (node.parent()?.kind() === 'function_declaration' ? [] : ['false'])),
    each('isAlive($X)', () => ['true']),
    put('$A.metadata?.deletionTimestamp !== undefined', 'false'),
    put('$A?.metadata?.deletionTimestamp === undefined', 'true'),
  ],
  'generates-names': [
    put('newPod(pool, { name })', 'newPod(pool, { generateName: `${name}-` })'),
    each(
      { ...part('({ name: nameOf($X) })', 'pair'), inside: { kind: 'object', inside: property('metadata') } },
      (node) => [`generateName: \`\${nameOf(${node.getMatch('X')?.text() ?? ''})}-\``],
    ),
  ],
};

/** Matches the declaration of a variable of this name. */
function declares(name: string): Rule {
  return { kind: 'variable_declarator', has: { field: 'name', regex: `^${name}$` } };
}

function inPreconditions(): Rule {
  return {
    inside: {
      kind: 'object',
      inside: { any: [property('preconditions'), declares('preconditions')] },
    },
  };
}

function inFunction(name: string): { readonly any: Rule[]; readonly stopBy: 'end' } {
  return {
    any: [
      { kind: 'function_declaration', has: { field: 'name', regex: `^${name}$` } },
      { kind: 'method_definition', has: { field: 'name', regex: `^${name}$` } },
    ],
    stopBy: 'end',
  };
}

/** Inserts text, or replaces `length` characters. */
function edit(_: SgNode, at: number, insertedText: string, length = 0): Site[number] {
  return { startPos: at, endPos: at + length, insertedText };
}

const RETRY_FOREVER = `async function retryForever<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(${IS_CONFLICT})) throw error;
      await new Promise((resolve) => { setTimeout(resolve, 200); });
    }
  }
}
`;
