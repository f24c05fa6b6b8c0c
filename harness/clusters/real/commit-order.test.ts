import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ApiResponse, Method } from 'stalemate-apiserver/wire/http';
import type { ObservedChange } from '../../gate/recorder.ts';
import { CommitOrder } from './commit-order.ts';

const COLLECTION = '/apis/example.com/v1/namespaces/default/widgets';

function widget(name: string, revision: number, metadata: KubeObject['metadata'] = {}): KubeObject {
  const own = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(revision) };
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { ...own, ...metadata } };
}

function change(type: ObservedChange['type'], object: KubeObject): ObservedChange {
  const { name = '', uid = '', resourceVersion } = object.metadata;
  const place = { resource: 'widgets.example.com', namespace: 'default', name, uid };
  return { type, revision: Number(resourceVersion), ...place, object };
}

function request(method: Method, path = ''): ApiRequest {
  return { method, path: COLLECTION + path, query: {}, headers: {} };
}

function answer(body: object, code = 200): ApiResponse {
  return { code, body: body as JsonObject };
}

/** A commit order that records what it publishes, under which actor, and which answers it releases. */
class Published {
  readonly lines: string[] = [];
  readonly order: CommitOrder;
  #acting = 'environment';

  constructor() {
    this.order = new CommitOrder(
      ({ revision, type, name }) => this.lines.push(`${revision} ${type} ${name} by ${this.#acting}`),
      () => {},
    );
  }

  begin(actor: string, method: Method, path?: string): (response: ApiResponse) => void {
    const write = this.order.begin(request(method, path), (act) => {
      this.#acting = actor;
      act();
      this.#acting = 'environment';
    });
    return (response) => write.answered(response, () => this.lines.push(`answer to ${actor}`));
  }
}

describe('the order of commits', () => {
  it('publishes a change before its answer, in the name of the client that asked, whichever comes first', () => {
    const published = new Published();
    const first = published.begin('a', 'POST');
    published.order.seen(change('ADDED', widget('w', 5)));
    expect(published.lines).toEqual([]);
    first(answer(widget('w', 5), 201));
    const second = published.begin('b', 'PUT', '/w');
    second(answer(widget('w', 6)));
    expect(published.lines).toEqual(['5 ADDED w by a', 'answer to a']);
    published.order.seen(change('MODIFIED', widget('w', 6)));

    expect(published.lines.slice(2)).toEqual(['6 MODIFIED w by b', 'answer to b']);
    expect(published.order.knows('uid-w', 6)).toBe(true);
    expect(published.order.knows('uid-w', 7)).toBe(false);
  });

  it('leaves to the environment what no answer reports, in the order of revisions', () => {
    const published = new Published();
    const write = published.begin('a', 'POST');
    published.order.seen(change('ADDED', widget('other', 7)));
    published.order.seen(change('ADDED', widget('w', 6)));
    write(answer(widget('w', 6), 201));

    expect(published.lines).toEqual(['6 ADDED w by a', '7 ADDED other by environment', 'answer to a']);
  });

  it('waits for nothing after a write that was refused, changed nothing, or was tried only', () => {
    const published = new Published();
    published.order.seen(change('ADDED', widget('w', 5)));
    published.begin('a', 'PUT', '/w')(answer({ kind: 'Status' }, 409));
    published.begin('b', 'PUT', '/w')(answer(widget('w', 5)));

    expect(published.lines.slice(1)).toEqual(['answer to a', 'answer to b']);
  });

  it('takes the end of an object for the write of the client that deleted it, or removed its last finalizer', () => {
    const published = new Published();
    for (const name of ['plain', 'kept']) published.order.seen(change('ADDED', widget(name, 5)));
    const ended = { kind: 'Status', status: 'Success', details: { uid: 'uid-plain' } };
    published.begin('a', 'DELETE', '/plain')(answer(ended));
    published.order.seen(change('DELETED', widget('plain', 8)));
    const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    published.begin('b', 'DELETE', '/kept')(answer(widget('kept', 9, { ...going, finalizers: ['x'] })));
    published.order.seen(change('MODIFIED', widget('kept', 9)));
    published.begin('c', 'PUT', '/kept')(answer(widget('kept', 9, going)));
    published.order.seen(change('DELETED', widget('kept', 10)));

    expect(published.lines.slice(2)).toEqual([
      '8 DELETED plain by a',
      'answer to a',
      '9 MODIFIED kept by b',
      'answer to b',
      '10 DELETED kept by c',
      'answer to c',
    ]);
    expect(published.order.live.size).toBe(0);
  });

  it('knows all of a collection that was deleted at once', () => {
    const published = new Published();
    for (const name of ['v', 'w']) published.order.seen(change('ADDED', widget(name, 5)));
    const write = published.begin('a', 'DELETE');
    write(answer({ kind: 'WidgetList', items: [widget('v', 5), widget('w', 5)] }));
    published.order.seen(change('DELETED', widget('v', 8)));
    expect(published.lines).toHaveLength(2);
    published.order.seen(change('DELETED', widget('w', 9)));

    expect(published.lines.slice(2)).toEqual(['8 DELETED v by a', '9 DELETED w by a', 'answer to a']);
  });

  it('publishes without an answer that takes too long, in the name of the client that writes there, and only once', () => {
    const published = new Published();
    const slow = published.begin('a', 'POST');
    const other = published.begin('b', 'PUT', '/x');
    published.order.seen(change('ADDED', widget('w', 5)));
    published.order.seen(change('MODIFIED', widget('y', 6)));
    other(answer(widget('x', 7)));
    published.order.hasten();
    expect(published.lines).toEqual(['5 ADDED w by a', '6 MODIFIED y by environment']);

    published.order.seen(change('MODIFIED', widget('x', 7)));
    slow(answer(widget('w', 5), 201));

    expect(published.lines.slice(2)).toEqual(['7 MODIFIED x by b', 'answer to a', 'answer to b']);
  });

  it('notices a change that becomes known after a newer one, until it is reset', () => {
    const { order, lines } = new Published();
    order.seen(change('ADDED', widget('w', 5)));
    order.seen(change('ADDED', widget('y', 7)));
    expect(order.isOutOfOrder).toBe(false);
    order.seen(change('ADDED', widget('x', 6)));

    expect(lines).toHaveLength(3);
    expect(order.isOutOfOrder).toBe(true);
    order.reset();
    expect(order.isOutOfOrder).toBe(false);
  });
});
