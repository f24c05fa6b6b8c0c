/** A target that treats a whole list or map as its own loses what other clients add to it, with or without contention: a warning. */
import { expect, it } from 'vitest';
import type { History } from '../harness/model/history.ts';
import { historyBuilder, manifest, ownedBy } from '../harness/oracle/test-history.ts';
import { judge } from './test-no-lost-update.ts';

const RESOURCE = 'widgets.example.com';
const AUDITED = { type: 'Audited', status: 'True' };
const READY = { type: 'Ready', status: 'True' };
const NOT_READY = { type: 'Ready', status: 'False' };

/** Returns the severity and sentence of each violation, where every needed probe shows that the target leaves the field alone at rest. */
function losses(history: History): readonly string[] {
  const result = judge(history);
  return result.result === 'violated' ? result.violations.map((one) => `${one.severity}: ${one.sentence}`) : [];
}

it.each([
  [
    'declares no keys',
    { wholeConditions: [RESOURCE] },
    /^warning: .* replaces the list, for whose items the CRD declares no keys$/,
  ],
  ['declares keys', {}, /^error: .* carries content of version 101 under version 102$/],
])('judges a lost condition by whether the CRD %s', (_, reference, expected) => {
  const h = historyBuilder();
  h.create('user', RESOURCE, manifest('Widget', 'web', { status: { conditions: [NOT_READY] } }));
  h.phase('contention');
  const read = h.get('controller', RESOURCE, 'web');
  h.edit('writer-1', RESOURCE, 'web', ['status', 'conditions'], [NOT_READY, AUDITED], 'status');
  const { resourceVersion } = h.get('controller', RESOURCE, 'web').metadata;
  const metadata = { ...read.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  h.update('controller', RESOURCE, { ...read, metadata, status: { conditions: [READY] } }, 'status');
  const owned = { [`${RESOURCE}:web`]: ['status.conditions[type=Ready].status'] };

  expect(losses(h.build({ reference: { ownedLeaves: owned, ...reference } }))).toEqual([
    expect.stringMatching(expected),
  ]);
});

it.each([
  ['from scratch', 'controller', false, /^warning: .* its PUT builds the object from scratch; at rest it leaves/],
  ['from a copy that it had read', 'controller', true, /^error: .* carries content of version 101 and no version/],
  ['from scratch, of an object of the user', 'user', false, /^error: /],
])('judges a lost label by whether the object was built %s', (_, creator, uid, expected) => {
  const h = historyBuilder();
  h.create(creator, RESOURCE, manifest('Widget', 'web', { spec: { size: 1 } }, { labels: { own: 'yes' } }));
  h.phase('contention');
  const read = h.get('controller', RESOURCE, 'web');
  h.edit('writer-1', RESOURCE, 'web', ['metadata', 'labels', 'foreign'], 'yes');
  h.get('controller', RESOURCE, 'web');
  const built = manifest('Widget', 'web', { spec: { size: 2 } }, { labels: { own: 'yes' } });
  const metadata = { ...built.metadata, ...(uid ? { uid: read.metadata.uid ?? '' } : {}) };
  h.update('controller', RESOURCE, { ...built, metadata });

  expect(losses(h.build({ reference: { ownedLeaves: { [`${RESOURCE}:web`]: ['spec.size'] } } }))).toEqual([
    expect.stringMatching(expected),
  ]);
});

it('convicts an object built from scratch that loses a finalizer', () => {
  const h = historyBuilder();
  h.create('controller', RESOURCE, manifest('Widget', 'web', { spec: { size: 1 } }));
  h.phase('contention');
  h.edit('writer-1', RESOURCE, 'web', ['metadata', 'finalizers'], ['example.com/hold']);
  h.get('controller', RESOURCE, 'web');
  h.update('controller', RESOURCE, manifest('Widget', 'web', { spec: { size: 2 } }));

  expect(losses(h.build({ reference: { ownedLeaves: { [`${RESOURCE}:web`]: ['spec.size'] } } }))).toEqual([
    expect.stringMatching(/^error: .*finalizers/),
  ]);
});

it.each([
  ['gone', undefined, /^warning: /],
  ['back at an old value', 'once', /^error: .* carries content of version 102/],
])('judges an annotation of another writer that is %s in an object built from scratch', (_, left, expected) => {
  const path = ['metadata', 'annotations', 'note'];
  const h = historyBuilder();
  h.create('controller', RESOURCE, manifest('Widget', 'web', { spec: { size: 1 } }));
  h.phase('contention');
  h.edit('writer-1', RESOURCE, 'web', path, 'once');
  h.get('controller', RESOURCE, 'web');
  h.edit('writer-1', RESOURCE, 'web', path, 'twice');
  const annotations = left === undefined ? {} : { annotations: { note: left } };
  h.update('controller', RESOURCE, manifest('Widget', 'web', { spec: { size: 2 } }, annotations));

  expect(losses(h.build({ reference: { ownedLeaves: { [`${RESOURCE}:web`]: ['spec.size'] } } }))).toEqual([
    expect.stringMatching(expected),
  ]);
});

it.each([
  ['of an object that the target created', 'controller', undefined, /^warning: .* its PUT (?:drops it|rebuilds spec)/],
  ['of an object of the user', 'user', undefined, /^error: .* its PUT (?:drops it|rebuilds spec)/],
  ['that is back at an old value', 'controller', 1, /^error: .* carries content of version/],
])('judges a lost field of another writer %s', (_, creator, left, expected) => {
  const h = historyBuilder();
  h.create(
    creator,
    RESOURCE,
    manifest('Widget', 'web', { spec: { size: 1, ...(left === undefined ? {} : { pause: left }) } }),
  );
  h.phase('contention');
  h.get('controller', RESOURCE, 'web');
  h.edit('writer-1', RESOURCE, 'web', ['spec', 'pause'], 5);
  // The target sends back a label of a later version, which shows that it had read that version.
  if (left === undefined) h.edit('writer-1', RESOURCE, 'web', ['metadata', 'labels', 'seen'], 'yes');
  const { metadata } = h.get('controller', RESOURCE, 'web');
  h.update('controller', RESOURCE, {
    ...manifest('Widget', 'web'),
    metadata,
    spec: { size: 2, ...(left === undefined ? {} : { pause: left }) },
  });

  expect(losses(h.build({ reference: { ownedLeaves: { [`${RESOURCE}:web`]: ['spec.size'] } } }))).toEqual([
    expect.stringMatching(expected),
  ]);
});

it.each([
  ['data', 'data', '', 'data.own', /^warning: /],
  ['a status that it writes undisturbed too', 'status', 'status', 'status.own', /^warning: /],
  ['a status that it leaves alone', 'status', 'status', 'spec.size', /^error: /],
])(
  'judges what another writer added to the part of an object of its own: %s',
  (_, part, subresource, owned, expected) => {
    const h = historyBuilder();
    h.create('controller', RESOURCE, manifest('Widget', 'web', { [part]: { own: 'a' } }));
    h.phase('contention');
    h.get('controller', RESOURCE, 'web');
    h.edit('writer-1', RESOURCE, 'web', [part, 'foreign'], 'x', subresource);
    h.edit('writer-1', RESOURCE, 'web', ['metadata', 'labels', 'seen'], 'yes');
    const { metadata } = h.get('controller', RESOURCE, 'web');
    h.update('controller', RESOURCE, { ...manifest('Widget', 'web'), metadata, [part]: { own: 'b' } }, subresource);

    const found = losses(h.build({ reference: { ownedLeaves: { [`${RESOURCE}:web`]: [owned] } } }));
    expect(found.filter((line) => line.includes('foreign'))).toEqual([expect.stringMatching(expected)]);
  },
);

it.each([
  ['with a message of its own', 'status.phase', 'cannot reach the API server', /^warning: .* without ever having read/],
  ['with an older value', 'status.phase', 'first', /^error: .* without ever having read/],
  ['of a status that it leaves alone undisturbed', 'spec.size', 'cannot reach the API server', /^error: /],
  ['with a number', 'status.phase', 6, /^error: /],
] as const)('judges a value of the status that a target replaces unseen %s', (_, owned, message, expected) => {
  const path = ['status', 'message'];
  const h = historyBuilder();
  h.create('user', RESOURCE, manifest('Widget', 'web', { status: { phase: 'New', message: 'first' } }));
  h.phase('contention');
  h.edit('writer-1', RESOURCE, 'web', path, 'second', 'status');
  h.edit('writer-1', RESOURCE, 'web', path, 'audited', 'status');
  h.patch('controller', RESOURCE, 'web', { status: { message } }, { subresource: 'status' });

  const reference = { ownedLeaves: { [`${RESOURCE}:web`]: [owned] } };
  expect(losses(h.build({ reference }))).toEqual([expect.stringMatching(expected)]);
});

it.each([
  ['its owner has, as it has received,', 'yes', 1, 0],
  ['its owner has, without having received that,', 'yes', 0, 1],
  ['its owner does not have,', 'no', 1, 1],
])('judges a write that brings back an annotation that %s', (_, value, reads, expected) => {
  const h = historyBuilder();
  const owner = h.create('user', RESOURCE, manifest('Widget', 'web'));
  const child = manifest('Pod', 'web-0', {}, { annotations: { 'example.com/note': 'yes' } });
  h.create('controller', 'pods', { ...child, metadata: { ...child.metadata, ownerReferences: [ownedBy(owner)] } });
  h.phase('contention');
  const read = h.get('controller', 'pods', 'web-0');
  h.edit('writer-1', RESOURCE, 'web', ['metadata', 'annotations'], { 'example.com/note': value });
  h.edit('writer-2', 'pods', 'web-0', ['metadata', 'annotations', 'example.com/note'], 'other');
  for (let n = 0; n < reads; n++) h.get('controller', RESOURCE, 'web');
  const { resourceVersion } = h.get('controller', 'pods', 'web-0').metadata;
  h.update('controller', 'pods', { ...read, metadata: { ...read.metadata, resourceVersion: resourceVersion ?? '' } });

  expect(losses(h.build({ reference: { ownedLeaves: {} } }))).toHaveLength(expected);
});
