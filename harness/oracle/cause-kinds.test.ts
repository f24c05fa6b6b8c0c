import { expect, it } from 'vitest';
import { isCoarse } from '../model/cause.ts';
import { causeOf, isGuess, isKind, type CauseParts } from './cause-kinds.ts';

const WIDGETS = 'widgets.example.com';
const WRITE = { kind: 'write', shape: 'PUT', of: WIDGETS, effect: 'stale', patch: false, versioned: true } as const;

/** The keys as they appear in users' counterexamples, corpora and soaks. */
const STORED: readonly (readonly [CauseParts, string])[] = [
  [WRITE, `write | PUT | ${WIDGETS} | stale`],
  [{ kind: 'create', resource: 'pods' }, 'create | pods | for the gone'],
  [{ kind: 'delete', resource: 'pods' }, 'delete | pods'],
  [{ kind: 'loop', request: `patch ${WIDGETS}/status` }, `loop | patch ${WIDGETS}/status`],
  [{ kind: 'retries', request: `patch ${WIDGETS}` }, `retries | patch ${WIDGETS}`],
  [{ kind: 'watch', how: 'expired' }, 'watch | expired'],
  [{ kind: 'given up', verb: 'update', of: 'things', after: 'a conflict' }, 'given up | update things | a conflict'],
  [{ kind: 'given up', cleanUpOf: WIDGETS }, `given up | clean-up of ${WIDGETS}`],
  [{ kind: 'children', resource: 'pods', seen: 'in the end' }, 'children | pods'],
  [{ kind: 'children', resource: 'pods', seen: 'as it was made' }, 'children | pods'],
  [{ kind: 'missed', resource: WIDGETS }, `missed | ${WIDGETS}`],
  [{ kind: 'restart', resource: WIDGETS }, `restart | ${WIDGETS}`],
  [{ kind: 'never finished', resource: WIDGETS }, `never finished | ${WIDGETS}`],
  [{ kind: 'outside', effect: 'disk-1' }, 'outside | disk-1'],
  [{ kind: 'process ends', how: 'panic' }, 'process ends | panic'],
  [{ kind: 'two leaders' }, 'two leaders'],
  [{ kind: 'work given up', resource: WIDGETS }, `work given up | ${WIDGETS}`],
  [{ kind: 'released early', resource: WIDGETS }, `released early | ${WIDGETS}`],
  [{ kind: 'deletes repeated' }, 'deletes repeated'],
  [{ kind: 'data race' }, 'data race'],
  [{ kind: 'blocked event loop' }, 'blocked event loop'],
];

it.each(STORED)('spells %o as stored files do', (parts, key) => {
  expect(causeOf(parts).key).toBe(key);
  expect(isKind({ key }, parts.kind)).toBe(true);
});

it('knows of a stored key whether other bugs may have it too, and whether it explains nothing', () => {
  const keysWhere = (holds: (cause: { readonly key: string }) => boolean): readonly string[] => [
    ...new Set(STORED.flatMap(([{ kind }, key]) => (holds({ key }) ? [kind] : []))),
  ];

  expect(keysWhere(isCoarse)).toEqual(['missed', 'restart', 'never finished', 'process ends', 'two leaders']);
  expect(keysWhere(isGuess)).toEqual(['children', 'missed', 'restart', 'never finished']);
});

it('takes a signature, which old files have instead, for no kind', () => {
  const key = `convergence | wrong-value | target | ${WIDGETS} | spec`;

  expect([isCoarse({ key }), isGuess({ key })]).toEqual([false, false]);
});
