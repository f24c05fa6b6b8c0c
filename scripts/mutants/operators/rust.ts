/** The mutation operators for Rust with kube-rs. The helper functions that mutants call are in `../compilers.ts`. */
import { each, kinds, put, type Rule } from '../syntax.ts';
import type { Operators } from './idioms.ts';
import { ABOUT_OBJECTS, dropsOperand, isRelied, skips, swapsSteps } from './shapes.ts';

/** `call(…).await?;`. */
const STEP: Rule = { kind: 'expression_statement', regex: '\\.await\\?;$', has: { kind: 'try_expression' } };
/** A step that can fail: waiting for a cache does not, until the program ends. */
const FALLIBLE: Rule = { ...STEP, not: { regex: 'wait_until_ready' } };
const GUARD: Rule = {
  kind: 'expression_statement',
  has: {
    kind: 'if_expression',
    all: [
      { has: { field: 'consequence', regex: '(return|continue)[^;]*;\\s*\\}$' } },
      { has: { field: 'condition', regex: `(?i)${ABOUT_OBJECTS.source}` } },
    ],
  },
};

export const rust: Operators = {
  'drops-precondition': [
    put('Preconditions { uid: key.uid(), ..Preconditions::default() }', 'Preconditions::default()'),
  ],
  'swallows-error': [
    each(FALLIBLE, (node) => [`let _ = ${node.text().replace(/\?;$/, ';')}`]),
    put('Err(error.into())', '{ let _ = error; Ok(()) }'),
  ],
  'swallows-conflict': [
    each(FALLIBLE, (node) =>
      /^(S::|world\.)/.test(node.text()) && isRelied(node)
        ? [
            `if let Err(error) = ${node.text().replace(/\?;$/, '')} {\nif !crate::conflicts(&error) {\nreturn Err(error.into());\n}\n}`,
          ]
        : [],
    ),
  ],
  'dies-on-error': [
    each(FALLIBLE, (node) => [node.text().replace(/\?;$/, '.expect("no error");')]),
    each(FALLIBLE, (node) => [
      `if let Err(error) = ${node.text().replace(/\?;$/, '')} {\neprintln!("{error}");\nstd::process::exit(1);\n}`,
    ]),
  ],
  'requeues-at-once': [
    put('Action::requeue(pause)', 'Action::requeue(Duration::from_millis(1))', 'Action::await_change()'),
    put('2_u32.saturating_pow(*count)', '1'),
    put('*count += 1', '*count += 0'),
    each({ kind: 'call_expression', regex: '^S::afterwards\\(\\)$' }, () => [
      'Action::requeue(Duration::from_secs(1))',
      'Action::requeue(Duration::from_secs(3600))',
    ]),
  ],
  'drops-owner': [
    each({ kind: 'field_initializer', regex: '^owner_references: ' }, () => ['owner_references: None']),
    put('keyring.controller_owner_ref(&())', 'keyring.owner_ref(&())'),
  ],
  'forces-apply': [put('PatchParams::apply(MANAGER).force()', 'PatchParams::apply(MANAGER)')],
  'drops-guard': [skips(GUARD, '')],
  'drops-operand': [dropsOperand('binary_expression', ['&&', '||'])],
  'skips-step': [
    skips(STEP, ''),
    skips({ kind: 'expression_statement', has: { kind: 'for_expression' } }, ''),
    skips({ kind: 'expression_statement', regex: '^(world|self)\\.(backoff|failures)' }, ''),
    put('if same { Ok(()) } else { $WRITE }', '{ let _ = same; Ok(()) }'),
  ],
  'swaps-steps': [
    swapsSteps(kinds('block'), { any: [STEP, { kind: 'expression_statement', has: { kind: 'for_expression' } }] }),
  ],
  'ignores-uid': [put('Some(&owner.uid) == uid.as_ref()', '{ let _ = &uid; owner.name == keyring.name_any() }')],
  'ignores-terminating': [
    put('key.metadata.deletion_timestamp.is_none()', '{ let _ = key; true }'),
    put('key.metadata.deletion_timestamp.is_some()', 'false'),
  ],
  'generates-names': [
    put('key.metadata.name = Some(name.clone())', 'key.metadata.generate_name = Some(format!("{name}-"))'),
  ],
  'drops-watch': [
    put('$B.owns_stream($X)', '$B'),
    put('$B.reconcile_all_on($X)', '$B'),
    put('$B.default_backoff()', '$B'),
    put('$B.touched_objects()', '$B.applied_objects()'),
  ],
};
