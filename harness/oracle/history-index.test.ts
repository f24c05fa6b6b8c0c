import { describe, expect, it } from 'vitest';
import { indexOf, names, roleOfObject } from './history-index.ts';
import { historyBuilder, manifest, ownedBy } from './test-history.ts';

const WIDGETS = 'widgets.example.com';

describe('roleOfObject', () => {
  it('names generated objects by their owner and what they are for, without their number', () => {
    const h = historyBuilder();
    const owner = h.create('user', WIDGETS, manifest('Widget', 'web'));
    const { name: _, ...metadata } = manifest(
      'Pod',
      '',
      {},
      { generateName: 'web-worker-', ownerReferences: [ownedBy(owner)] },
    ).metadata;
    h.create('controller', 'pods', { apiVersion: 'v1', kind: 'Pod', metadata });
    const history = h.build();

    expect(history.revisions.map((revision) => roleOfObject(history, revision))).toEqual([
      `${WIDGETS}:web`,
      'pods:web/worker',
    ]);
  });
});

describe('names', () => {
  it('finds leaves of a role by path and by pattern', () => {
    const table = { r: ['spec.a', 'metadata.ownerReferences[uid=*].name'] };

    expect(names(table, 'r', 'spec.a')).toBe(true);
    expect(names(table, 'r', 'metadata.ownerReferences[uid=u-1].name')).toBe(true);
    expect(names(table, 'r', 'spec.b')).toBe(false);
    expect(names(table, 'other', 'spec.a')).toBe(false);
    expect(names(undefined, 'r', 'spec.a')).toBe(false);
  });
});

describe('the index', () => {
  it('is made once per run, also when probes are attached later', () => {
    const h = historyBuilder();
    h.create('user', WIDGETS, manifest('Widget', 'web'));
    const history = h.build();

    expect(indexOf({ ...history, probes: [] })).toBe(indexOf(history));
  });

  it('knows what reached an actor when: reads, lists, own writes, watch events', () => {
    const h = historyBuilder();
    const { uid = '' } = h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { a: 1 } })).metadata;
    h.deliver('controller', WIDGETS);
    h.get('controller', WIDGETS, 'web');
    h.edit('writer-1', WIDGETS, 'web', ['spec', 'a'], 2);
    h.list('controller', WIDGETS);
    const write = h.begin('controller', 'patch', WIDGETS, 'web', { body: { spec: { a: 3 } } }).send();
    const before = h.mark().at;
    write.answer();
    const index = indexOf(h.build());

    const seen = (actor: string, at: number): unknown =>
      index.seenBy(actor, uid, at).map(({ how, revision }) => [how, revision]);
    expect(seen('controller', before)).toEqual([
      ['watch', 101],
      ['get', 101],
      ['list', 102],
    ]);
    expect(seen('controller', Number.POSITIVE_INFINITY)).toEqual([
      ['watch', 101],
      ['get', 101],
      ['list', 102],
      ['own write', 103],
    ]);
    expect(seen('controller~2', Number.POSITIVE_INFINITY)).toEqual([]);
  });

  it('attributes a leaf to whoever changed it last, and what the server filled in to nobody', () => {
    const h = historyBuilder();
    h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { a: 1, b: 1 } }));
    h.edit('writer-1', WIDGETS, 'web', ['spec', 'a'], 2);
    h.edit('controller', WIDGETS, 'web', ['spec', 'c'], 3);
    const history = h.build();
    const index = indexOf(history);
    const last = history.revisions.at(-1);
    if (last === undefined) throw new Error('three revisions');

    expect(index.lastChange(last, 'spec.a')?.actor).toBe('writer-1');
    expect(index.lastChange(last, 'spec.b')?.actor).toBe('user');
    expect(index.lastChange(last, 'metadata.uid')).toBeUndefined();
    expect(index.liveAt(last.uid, last.at)?.revision).toBe(102);
  });
});
