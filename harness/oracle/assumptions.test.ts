import { describe, expect, it } from 'vitest';
import type { Delivery, History, Operation } from '../model/history.ts';
import { checkLegality } from './assumptions.ts';
import type { HistoryBuilder } from './test-history.ts';
import { historyBuilder, manifest } from './test-history.ts';

const WIDGETS = 'widgets.example.com';

/** Builds a legal history: versions 101, 102 and 103 of one object, delivered to the target in order. */
function legal(): { h: HistoryBuilder; history: History } {
  const h = historyBuilder();
  h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { n: 1 } }));
  h.phase('contention');
  h.call('controller', 'watch', WIDGETS, '', { query: { resourceVersion: '101', watch: 'true' } });
  h.edit('user', WIDGETS, 'web', ['spec', 'n'], 2);
  h.edit('user', WIDGETS, 'web', ['spec', 'n'], 3);
  h.deliver('controller', WIDGETS);
  const history = h.build();
  // The gate labels a watch with its stream; the first event is older than the version from which the watch resumed.
  const stream = `controller/watch/${WIDGETS}/default#0`;
  const operations = history.operations.map((operation) =>
    operation.verb === 'watch'
      ? { ...operation, label: stream, outcome: { type: 'ok' as const, code: 200 } }
      : operation,
  );
  return { h, history: { ...history, operations, deliveries: history.deliveries.slice(1) } };
}

function withDeliveries(edit: (deliveries: readonly Delivery[]) => readonly Delivery[]): History {
  const { history } = legal();
  return { ...history, deliveries: edit(history.deliveries) };
}

/** Returns the deliveries in a different order, with increasing ticks after the last one. */
function reordered(deliveries: readonly Delivery[], order: readonly number[]): readonly Delivery[] {
  const last = deliveries.at(-1)?.at ?? 0;
  return order.map((from, at) => ({ ...(deliveries[from] as Delivery), at: last + 1 + at }));
}

function withOperation(verb: string, edit: (operation: Operation) => Operation): History {
  const { h } = legal();
  h.get('controller', WIDGETS, 'web');
  h.list('controller', WIDGETS);
  const history = h.build();
  const index = history.operations.findLastIndex((operation) => operation.verb === verb);
  return {
    ...history,
    deliveries: [],
    operations: history.operations.map((operation, at) => (at === index ? edit(operation) : operation)),
  };
}

describe('checkLegality', () => {
  it('accepts a legal history', () => {
    expect(checkLegality(legal().history)).toEqual([]);
    expect(checkLegality(withOperation('get', (operation) => operation))).toEqual([]);
  });

  it('ordered: names events delivered against their order', () => {
    expect(checkLegality(withDeliveries((list) => reordered(list, [1, 0])))).toEqual([
      expect.stringContaining('reliable') as string,
      expect.stringContaining(
        'ordered: controller/watch/widgets.example.com/default#0 delivered version 102 after 103',
      ) as string,
    ]);
  });

  it('unique: names an event delivered twice', () => {
    expect(checkLegality(withDeliveries((list) => reordered(list, [0, 0, 1])))).toEqual([
      expect.stringContaining('unique') as string,
    ]);
  });

  it('reliable and resumable: names an event that is missing, at the start as in between', () => {
    const [breach] = checkLegality(withDeliveries((list) => reordered(list, [1])));

    expect(breach).toBe(
      'reliable: controller/watch/widgets.example.com/default#0 skipped version 102 between 101 and 103',
    );
  });

  it('takes what came after a watch that opened before the first change for news, not for its initial state', () => {
    const h = historyBuilder();
    h.call('controller', 'watch', WIDGETS, '', { query: { sendInitialEvents: 'true', watch: 'true' } });
    h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { n: 1 } }));
    h.edit('user', WIDGETS, 'web', ['spec', 'n'], 2);
    h.deliver('controller', WIDGETS);
    const history = h.build();
    const [added, modified] = history.deliveries;
    if (added === undefined || modified === undefined) throw new TypeError('two events were expected');
    const bookmark: Delivery = { ...added, type: 'BOOKMARK', revision: added.revision - 1, at: added.at - 0.5 };
    const stream = added.stream;
    const operations = history.operations.map((operation) =>
      operation.verb === 'watch' ? { ...operation, label: stream } : operation,
    );
    const seen = (deliveries: readonly Delivery[]): History => ({ ...history, operations, deliveries });

    expect(checkLegality(seen([bookmark, added, modified]))).toEqual([]);
    expect(checkLegality(seen([bookmark, modified]))).toEqual([expect.stringContaining('reliable') as string]);
  });

  it('bookmarkable: names a bookmark that promises more than was delivered', () => {
    const bookmark = (list: readonly Delivery[], revision: number): Delivery => ({
      ...(list[0] as Delivery),
      type: 'BOOKMARK',
      revision,
      at: (list.at(-1)?.at ?? 0) + 1,
    });

    expect(checkLegality(withDeliveries((list) => [...list, bookmark(list, 103)]))).toEqual([]);
    expect(checkLegality(withDeliveries((list) => [...list.slice(0, 1), bookmark(list, 103)]))).toHaveLength(1);
    expect(checkLegality(withDeliveries((list) => [...list, bookmark(list, 102)]))).toEqual([
      expect.stringContaining('bookmarkable') as string,
    ]);
  });

  it('atomic: names an event about another object, and versions made out of order', () => {
    const { history } = legal();
    const swapped = withDeliveries((list) =>
      list.map((delivery, at) =>
        at === 0 ? { ...delivery, object: manifest('Widget', 'other', {}, { uid: 'other' }) } : delivery,
      ),
    );

    expect(checkLegality(swapped)).toEqual([expect.stringContaining('as another object') as string]);
    expect(checkLegality({ ...history, revisions: history.revisions.toReversed() })).not.toEqual([]);
  });

  it('names a stale answer to a read that asked for the present, not to one that did not', () => {
    const old = legal().history.revisions[0]?.object;
    if (old === undefined) throw new Error('three revisions');
    const stale = (query: Operation['query']): History =>
      withOperation('get', (operation) => ({ ...operation, query, outcome: { type: 'ok', code: 200, object: old } }));

    expect(checkLegality(stale({}))).toEqual([expect.stringContaining('got version 101 instead of 103') as string]);
    expect(checkLegality(stale({ resourceVersion: '0' }))).toEqual([]);
  });

  it('takes what was made while a read was under way, but nothing that was made after its answer', () => {
    const early = (answered: number): History =>
      withOperation('get', (operation) => {
        const [, second, third] = legal().history.revisions;
        if (second === undefined || third === undefined) throw new Error('three revisions');
        return {
          ...operation,
          sent: { at: second.at + 0.1, timeMs: 0 },
          answered: { at: third.at + answered, timeMs: 0 },
          outcome: { type: 'ok', code: 200, object: third.object },
        };
      });

    expect(checkLegality(early(0.1))).toEqual([]);
    expect(checkLegality(early(-0.1))).toEqual([expect.stringContaining('got version 103 instead of 102') as string]);
  });

  it('names a stale list likewise', () => {
    const stale = (query: Operation['query']): History =>
      withOperation('list', (operation) => ({
        ...operation,
        query,
        outcome: { type: 'ok', code: 200, items: [], listRevision: 101 },
      }));

    expect(checkLegality(stale({}))).toEqual([
      expect.stringContaining('got the list of version 101 instead of 103') as string,
    ]);
    expect(checkLegality(stale({ resourceVersion: '0' }))).toEqual([]);
  });

  it('names a refused write that had an effect, and an acknowledged one that had none', () => {
    const refused = withOperation('update', (operation) => ({
      ...operation,
      outcome: { type: 'fail', code: 409, reason: 'Conflict', message: '' },
    }));
    const lost = withOperation('create', (operation) => ({ ...operation, committed: [] }));

    expect(checkLegality(refused)).toEqual([
      expect.stringContaining('was refused with 409 and yet made version 103') as string,
    ]);
    expect(checkLegality(lost)).toEqual([expect.stringContaining('lost write') as string]);
  });
});
