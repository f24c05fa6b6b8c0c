/** Properties over random writes: a watch delivers the store's history, from any starting point. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KubeObject } from '../objects/object.ts';
import { MERGE, testServer, widget, WIDGETS_PATH, type TestServer } from './testing.ts';
import type { CommittedChange } from './store.ts';

type Write = {
  readonly do: 'create' | 'grow' | 'label' | 'hold' | 'release' | 'delete';
  readonly name: string;
  readonly value: number;
};

const writes = fc.array(
  fc.record<Write>({
    do: fc.constantFrom('create', 'grow', 'label', 'hold', 'release', 'delete'),
    name: fc.constantFrom('a', 'b', 'c'),
    value: fc.nat({ max: 2 }),
  }),
  { maxLength: 40 },
);

function run({ request }: TestServer, write: Write): void {
  const path = `${WIDGETS_PATH}/${write.name}`;
  const value = String(write.value);
  switch (write.do) {
    case 'create':
      request('POST', WIDGETS_PATH, widget(write.name, { size: write.value }));
      break;
    case 'grow':
      request('PATCH', path, { spec: { size: write.value } }, MERGE);
      break;
    case 'label':
      request('PATCH', path, { metadata: { labels: { on: value } } }, MERGE);
      break;
    case 'hold':
      request('PATCH', path, { metadata: { finalizers: ['example.com/hold'] } }, MERGE);
      break;
    case 'release':
      request('PATCH', path, { metadata: { finalizers: null } }, MERGE);
      break;
    case 'delete':
      request('DELETE', path);
      break;
  }
}

it('a watch from any version replays exactly the history after it (90, 102)', () => {
  fc.assert(
    fc.property(writes, fc.nat(), (program, where) => {
      const made = testServer();
      const changes: CommittedChange[] = [];
      made.server.observe((change) => changes.push(change));
      const base = made.server.revision;
      for (const write of program) run(made, write);
      const from = base + (where % (made.server.revision - base + 1));

      const { events } = made.watch(WIDGETS_PATH, { resourceVersion: String(from) });

      expect(events).toEqual(
        changes.filter((change) => change.revision > from).map(({ type, object }) => ({ type, object })),
      );
      expect(changes.map((change) => change.revision)).toEqual(changes.map((_, index) => base + 1 + index));
    }),
  );
});

it('a list and the watch from its version end in the state of a later list, under any selector (89)', () => {
  fc.assert(
    fc.property(writes, writes, fc.constantFrom('', 'on', 'on=1', 'on!=2'), (before, after, labelSelector) => {
      const made = testServer();
      for (const write of before) run(made, write);
      const query = `?labelSelector=${encodeURIComponent(labelSelector)}`;
      const first = made.request('GET', WIDGETS_PATH + query).object;
      const state = new Map(itemsOf(first).map((item) => [item.metadata.name, item]));
      const open = made.watch(WIDGETS_PATH, { resourceVersion: first.metadata.resourceVersion ?? '', labelSelector });
      for (const write of after) run(made, write);

      for (const event of open.events) {
        const object = event.object as KubeObject;
        const known = state.has(object.metadata.name);
        expect(event.type).toBe(known ? (event.type === 'DELETED' ? 'DELETED' : 'MODIFIED') : 'ADDED');
        if (event.type === 'DELETED') state.delete(object.metadata.name);
        else state.set(object.metadata.name, object);
      }

      const last = itemsOf(made.request('GET', WIDGETS_PATH + query).object);
      expect([...state.values()].sort(byName)).toEqual(last);
    }),
  );
});

it('a restored server repeats the same answers, byte for byte', () => {
  fc.assert(
    fc.property(writes, writes, (before, after) => {
      const made = testServer();
      for (const write of before) run(made, write);
      const snapshot = made.server.snapshot();
      const state = JSON.stringify(made.server.objects());
      const shape = (): readonly string[] => made.server.objects('widgets.example.com').map(withoutUid);
      for (const write of after) run(made, write);
      const [revision, objects] = [made.server.revision, shape()];

      made.server.restore(snapshot);
      expect(JSON.stringify(made.server.objects())).toBe(state);
      for (const write of after) run(made, write);

      expect([made.server.revision, shape()]).toEqual([revision, objects]);
    }),
  );
});

it('an exact list returns what a list returned at that version (31)', () => {
  fc.assert(
    fc.property(writes, fc.nat(), (program, where) => {
      const made = testServer();
      const lists: KubeObject[] = [made.request('GET', WIDGETS_PATH).object];
      for (const write of program) {
        run(made, write);
        lists.push(made.request('GET', WIDGETS_PATH).object);
      }
      const then = lists[where % lists.length];

      const version = then?.metadata.resourceVersion ?? '';
      const exact = made.request('GET', `${WIDGETS_PATH}?resourceVersion=${version}&resourceVersionMatch=Exact`);

      expect(exact.object).toEqual(then);
    }),
  );
});

function itemsOf(list: KubeObject): readonly KubeObject[] {
  return list['items'] as readonly KubeObject[];
}

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

/** Removes uids: they differ in the second run, because their counter is not reset. */
function withoutUid(object: KubeObject): string {
  return JSON.stringify({ ...object, metadata: { ...object.metadata, uid: '' } });
}
