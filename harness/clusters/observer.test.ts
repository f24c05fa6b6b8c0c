import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ApiResponse, ResponseSink, Upstream } from 'stalemate-apiserver/wire/http';
import { failure } from 'stalemate-apiserver/wire/status';
import type { ObservedChange } from '../gate/recorder.ts';
import { Observer } from './observer.ts';
import { eventually } from '../determinism/test-wait.ts';

const WIDGETS = { group: 'example.com', version: 'v1', resource: 'widgets' };

function widget(name: string, revision: number): KubeObject {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(revision) };
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata };
}

/** A server that answers lists from a script and holds its watches open. */
class Scripted implements Upstream {
  readonly watches: { readonly from: string; readonly sink: ResponseSink }[] = [];
  readonly #lists: ApiResponse[];

  constructor(...lists: readonly ApiResponse[]) {
    this.#lists = [...lists];
  }

  send({ query }: ApiRequest, sink: ResponseSink): () => void {
    if (query['watch'] === undefined)
      sink.answer((this.#lists.length > 1 ? this.#lists.shift() : this.#lists[0]) ?? failure(500, '', ''));
    else {
      this.watches.push({ from: query['resourceVersion'] ?? '', sink });
      sink.open();
    }
    return () => {};
  }
}

function list(revision: number, ...items: readonly KubeObject[]): ApiResponse {
  const bare = items.map(({ metadata }) => ({ metadata }));
  const body = {
    apiVersion: 'example.com/v1',
    kind: 'WidgetList',
    metadata: { resourceVersion: String(revision) },
    items: bare,
  };
  return { code: 200, body };
}

async function observed(
  upstream: Scripted,
): Promise<{ readonly observer: Observer; readonly told: readonly string[] }> {
  const told: string[] = [];
  const observer = new Observer(upstream, ({ type, revision, name, object, before }: ObservedChange) =>
    told.push(
      `${revision} ${type} ${object.kind} ${name}${before === undefined ? '' : ` after ${before.metadata.resourceVersion}`}`,
    ),
  );
  await observer.observe(WIDGETS);
  return { observer, told };
}

describe('an observer', () => {
  it('tells what is there and each version that follows, and goes on after its watch has ended', async () => {
    const server = new Scripted(list(7, widget('b', 5), widget('a', 3)));
    const { observer, told } = await observed(server);
    server.watches[0]?.sink.event({ type: 'MODIFIED', object: widget('a', 8) });
    server.watches[0]?.sink.end();
    await eventually(() => expect(server.watches).toHaveLength(2));
    server.watches[1]?.sink.event({ type: 'DELETED', object: widget('a', 9) });

    expect(server.watches.map(({ from }) => from)).toEqual(['7', '8']);
    expect(told).toEqual([
      '3 ADDED Widget a',
      '5 ADDED Widget b',
      '8 MODIFIED Widget a after 3',
      '9 DELETED Widget a after 8',
    ]);
    expect(observer.gaps).toEqual([]);
    observer.close();
  });

  it('waits for a server that is busy, and says what it may not see', async () => {
    const busy = await observed(
      new Scripted(failure(429, 'TooManyRequests', 'storage is initializing'), list(2, widget('a', 2))),
    );
    const forbidden = await observed(new Scripted(failure(403, 'Forbidden', 'no')));

    expect(busy.told).toEqual(['2 ADDED Widget a']);
    expect(busy.observer.gaps).toEqual([]);
    expect(forbidden.observer.gaps).toEqual(['widgets.example.com: listing it was answered 403']);
    busy.observer.close();
  });

  it('has caught up when it has told what a list holds', async () => {
    const server = new Scripted(list(3, widget('a', 3)), list(4, widget('a', 4)));
    const { observer } = await observed(server);

    const caughtUp = observer.caughtUp(20_000);
    server.watches[0]?.sink.event({ type: 'MODIFIED', object: widget('a', 4) });

    await expect(caughtUp).resolves.toBe(true);
    observer.close();
  });
});
