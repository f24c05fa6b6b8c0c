import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest } from 'stalemate-apiserver/wire/http';
import type { ObservedChange } from '../../gate/recorder.ts';
import { OwedEvents } from './owed-events.ts';

function pod(name: string, revision: number, labels: { readonly [key: string]: string } = {}): KubeObject {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(revision), labels };
  return { apiVersion: 'v1', kind: 'Pod', metadata };
}

function change(type: ObservedChange['type'], object: KubeObject, before?: KubeObject): ObservedChange {
  const { name = '', namespace = '', uid = '', resourceVersion } = object.metadata;
  const place = { resource: 'pods', namespace, name, uid };
  return { type, revision: Number(resourceVersion), ...place, object, ...(before === undefined ? {} : { before }) };
}

function watch(query: ApiRequest['query'], path = '/api/v1/namespaces/default/pods'): ApiRequest {
  return { method: 'GET', path, query: { watch: '1', ...query }, headers: {} };
}

const NOTHING_SINCE = (): readonly ObservedChange[] => [];

describe('what watches are owed', () => {
  it('is each change of what they ask for, until it has come', () => {
    const owed = new OwedEvents();
    const open = owed.open(watch({ resourceVersion: '5' }), [], NOTHING_SINCE);
    expect(owed.isAny).toBe(false);
    owed.committed(change('ADDED', pod('a', 6)));
    expect(owed.isAny).toBe(true);
    open.received({ type: 'ADDED', object: pod('a', 6) });
    expect(owed.isAny).toBe(false);
    // The watch may receive an event before the observer does.
    open.received({ type: 'MODIFIED', object: pod('a', 7) });
    owed.committed(change('MODIFIED', pod('a', 7)));
    expect(owed.isAny).toBe(false);
    owed.committed(change('DELETED', pod('a', 8), pod('a', 7)));
    open.close();
    expect(owed.isAny).toBe(false);
  });

  it('is what is there when they begin with that, and what has been since their version otherwise', () => {
    const live = [change('ADDED', pod('a', 3))];
    const scratch = new OwedEvents();
    scratch.open(watch({ sendInitialEvents: 'true' }), live, NOTHING_SINCE);
    const later = new OwedEvents();
    later.open(watch({ resourceVersion: '3' }), live, NOTHING_SINCE);
    const missed = new OwedEvents();
    missed.open(watch({ resourceVersion: '2' }), live, (revision) => (revision < 3 ? live : []));

    expect([scratch.isAny, later.isAny, missed.isAny]).toEqual([true, false, true]);
  });

  it('is nothing of other namespaces and resources, nor of what no selector chooses', () => {
    const owed = new OwedEvents();
    owed.open(watch({ resourceVersion: '1' }, '/api/v1/namespaces/other/pods'), [], NOTHING_SINCE);
    owed.open(watch({ resourceVersion: '1' }, '/api/v1/configmaps'), [], NOTHING_SINCE);
    owed.open(watch({ resourceVersion: '1', labelSelector: 'app=x' }), [], NOTHING_SINCE);
    owed.open(watch({ resourceVersion: '1', fieldSelector: 'metadata.name=b' }), [], NOTHING_SINCE);
    owed.open(watch({ resourceVersion: '1', fieldSelector: 'spec.nodeName=n' }), [], NOTHING_SINCE);
    owed.committed(change('ADDED', pod('a', 6)));
    expect(owed.isAny).toBe(false);
    owed.committed(change('MODIFIED', pod('a', 7), pod('a', 6, { app: 'x' })));
    expect(owed.isAny).toBe(true);
  });
});
