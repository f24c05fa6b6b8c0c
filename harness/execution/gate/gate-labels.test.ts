import { describe, expect, it } from 'vitest';
import { CONFIGMAPS_PATH, configMap, widget, WIDGETS_PATH } from 'stalemate-apiserver/testing';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { gateRig } from './gate-testing.ts';

function ownedConfigMap(generateName: string, owner: string): KubeObject {
  const ownerReferences = [
    { apiVersion: 'example.com/v1', kind: 'Widget', name: owner, uid: `uid-of-${owner}`, controller: true },
  ];
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName, ownerReferences } };
}

describe('labels at the gate', () => {
  it('spells actor, verb, resource, group, namespace and name', () => {
    const { send, labels } = gateRig();

    send('controller', 'GET', `${WIDGETS_PATH}/a`);
    send('controller', 'GET', CONFIGMAPS_PATH);
    send('user', 'POST', WIDGETS_PATH, widget('a'));
    send('writer-1', 'DELETE', `${CONFIGMAPS_PATH}/a`);
    send('controller', 'GET', '/api/v1/nodes');

    expect(labels()).toEqual([
      'controller/get/widgets.example.com/default/a#0!sent',
      'controller/list/configmaps/default/*#0!sent',
      'user/create/widgets.example.com/default/a#0!sent',
      'writer-1/delete/configmaps/default/a#0!sent',
      'controller/list/nodes/-/*#0!sent',
    ]);
  });

  it('puts what arrived since it was last asked into the order of labels, behind what waited before', () => {
    const { gate, send, labels } = gateRig();
    send('controller', 'GET', `${WIDGETS_PATH}/z`);
    gate.orderArrivals();
    for (const name of ['c', 'a', 'b']) send('controller', 'GET', `${WIDGETS_PATH}/${name}`);

    gate.orderArrivals();

    expect(labels()).toEqual(
      ['z', 'a', 'b', 'c'].map((name) => `controller/get/widgets.example.com/default/${name}#0!sent`),
    );
  });

  it('names the subresource behind the resource', () => {
    const { send, labels } = gateRig();

    send('controller', 'PUT', `${WIDGETS_PATH}/a/status`, widget('a'));
    send('controller', 'GET', `${WIDGETS_PATH}/a/scale`);

    expect(labels()).toEqual([
      'controller/update/widgets.example.com/status/default/a#0!sent',
      'controller/get/widgets.example.com/scale/default/a#0!sent',
    ]);
  });

  it('calls a request that is about no resource by its path', () => {
    const { send, labels } = gateRig();

    send('controller', 'GET', '/version');

    expect(labels()).toEqual(['controller/get/raw/-//version#0!sent']);
  });

  it('numbers what has the same label, each label by itself', () => {
    const { send, labels } = gateRig();

    send('controller', 'GET', `${WIDGETS_PATH}/a`);
    send('controller', 'GET', `${WIDGETS_PATH}/b`);
    send('controller', 'GET', `${WIDGETS_PATH}/a`);
    send('controller~2', 'GET', `${WIDGETS_PATH}/a`);

    expect(labels()).toEqual([
      'controller/get/widgets.example.com/default/a#0!sent',
      'controller/get/widgets.example.com/default/b#0!sent',
      'controller/get/widgets.example.com/default/a#1!sent',
      'controller~2/get/widgets.example.com/default/a#0!sent',
    ]);
  });

  it('keeps the number of a request for its answer', () => {
    const { send, take, labels } = gateRig();
    send('controller', 'GET', `${WIDGETS_PATH}/a`);
    send('controller', 'GET', `${WIDGETS_PATH}/a`);

    take('controller/get/widgets.example.com/default/a#1!sent');

    expect(labels()).toEqual([
      'controller/get/widgets.example.com/default/a#0!sent',
      'controller/get/widgets.example.com/default/a#1!answered',
    ]);
  });

  it('names a watch by its selectors and its events by object and number', () => {
    const { send, take, takeAll, labels } = gateRig();
    send('user', 'POST', CONFIGMAPS_PATH, configMap('a', {}, { labels: { app: 'x' } }));
    takeAll();

    send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true&labelSelector=app%3Dx&fieldSelector=metadata.name%3Da`);
    const stream = 'controller/watch/configmaps/default?app=x&metadata.name=a#0';

    expect(labels()).toEqual([`${stream}!sent`]);
    take(`${stream}!sent`);
    expect(labels()).toEqual([`${stream}!answered`]);
    take(`${stream}!answered`);
    expect(labels()).toEqual([`${stream}/a@0`]);
  });

  it('writes names that the target draws like generated ones, and those that it always chooses as they are', () => {
    const { send, takeAll, labels, naming } = gateRig({ configmaps: { kept: ['web-main'], stems: ['web-worker-'] } });
    send('controller', 'POST', CONFIGMAPS_PATH, configMap('web-worker-x7k2p'));
    send('controller', 'POST', CONFIGMAPS_PATH, configMap('web-worker-x7k2p'));
    send('controller', 'POST', CONFIGMAPS_PATH, configMap('web-worker-9dkfa'));
    send('controller', 'POST', CONFIGMAPS_PATH, configMap('web-main'));
    send('user', 'POST', CONFIGMAPS_PATH, configMap('web-worker-mine'));

    expect(labels()).toEqual([
      'controller/create/configmaps/default/web-worker~0#0!sent',
      'controller/create/configmaps/default/web-worker~0#1!sent',
      'controller/create/configmaps/default/web-worker~1#0!sent',
      'controller/create/configmaps/default/web-main#0!sent',
      'user/create/configmaps/default/web-worker-mine#0!sent',
    ]);
    takeAll();
    expect(naming.real('configmaps', 'default', 'web-worker~1')).toBe('web-worker-9dkfa');
  });

  it('writes generated names by owner, role and order of creation', () => {
    const { send, takeAll, labels, recorder, naming } = gateRig();
    send('controller', 'POST', CONFIGMAPS_PATH, ownedConfigMap('web-worker-', 'web'));
    send('controller', 'POST', CONFIGMAPS_PATH, ownedConfigMap('web-worker-', 'web'));
    send('controller', 'POST', CONFIGMAPS_PATH, ownedConfigMap('web-', 'web'));
    send('controller', 'POST', CONFIGMAPS_PATH, { ...configMap(''), metadata: { generateName: 'loose-' } });

    expect(labels()).toEqual([
      'controller/create/configmaps/default/web/worker~0#0!sent',
      'controller/create/configmaps/default/web/worker~1#0!sent',
      'controller/create/configmaps/default/web/~0#0!sent',
      'controller/create/configmaps/default/loose~0#0!sent',
    ]);
    takeAll();
    const { uid, name } = recorder.revisions[1] ?? { uid: '', name: '' };
    expect(recorder.history({ result: 'quiescent', windowMs: 0 }, 0, []).names[uid]).toBe('web/worker~1');
    expect(naming.real('configmaps', 'default', 'web/worker~1')).toBe(name);

    send('controller', 'GET', `${CONFIGMAPS_PATH}/${name}`);
    send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);

    expect(labels()[0]).toBe('controller/get/configmaps/default/web/worker~1#0!sent');
    takeAll();
    expect(recorder.deliveries.map(({ k }) => k)).toEqual([0, 1, 2, 3]);
  });
});

describe('the start of contention', () => {
  it('begins the numbers anew and tells setup labels apart', () => {
    const { gate, recorder, send, takeAll, labels } = gateRig();
    send('controller', 'GET', `${WIDGETS_PATH}/a`);
    takeAll();

    gate.startContention();
    send('controller', 'GET', `${WIDGETS_PATH}/a`);

    expect(labels()).toEqual(['controller/get/widgets.example.com/default/a#0!sent']);
    expect(recorder.operations.map(({ label }) => label)).toEqual([
      'controller/get/widgets.example.com/default/a#0!setup',
      'controller/get/widgets.example.com/default/a#0',
    ]);
  });

  it('lets open streams go on as #0, with what they delivered before numbered below zero', () => {
    const { gate, recorder, send, take, takeAll, labels } = gateRig();
    const closed = send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    send('user', 'POST', CONFIGMAPS_PATH, configMap('a'));
    send('user', 'POST', CONFIGMAPS_PATH, configMap('b'));
    takeAll();
    closed.abort();

    gate.startContention();
    send('user', 'POST', CONFIGMAPS_PATH, configMap('c'));
    take('user/create/configmaps/default/c#0!sent');

    expect(labels()).toContain('controller/watch/configmaps/default#0/c@0');
    takeAll();
    const of = (stream: string): readonly number[] =>
      recorder.deliveries.filter((delivery) => delivery.stream === stream).map(({ k }) => k);
    expect(of('controller/watch/configmaps/default#0')).toEqual([-2, -1, 0]);
    expect(of('controller/watch/configmaps/default#0!setup')).toEqual([0, 1]);
    expect(recorder.streamEnds.map(({ stream }) => stream)).toEqual(['controller/watch/configmaps/default#0!setup']);
  });

  it('renames an event that is already waiting, so that holds from @0 meet it', () => {
    const { gate, recorder, send, take, takeAll, labels } = gateRig();
    send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    send('user', 'POST', CONFIGMAPS_PATH, configMap('a'));
    takeAll();
    send('user', 'POST', CONFIGMAPS_PATH, configMap('b'));
    take('user/create/configmaps/default/b#0!sent');
    expect(labels()).toContain('controller/watch/configmaps/default#0/b@1');

    gate.startContention();

    expect(labels()).toContain('controller/watch/configmaps/default#0/b@0');
    expect(gate.pending.find(({ kind }) => kind === 'event')).toMatchObject({ k: 0 });
    takeAll();
    expect(recorder.deliveries.map(({ k }) => k)).toEqual([-1, 0]);
  });

  it('renames a request that is already waiting as one of the setup', () => {
    const { gate, recorder, send, takeAll, labels } = gateRig();
    const told = send('controller', 'GET', `${WIDGETS_PATH}/a`);

    gate.startContention();
    send('controller', 'GET', `${WIDGETS_PATH}/a`);

    expect(labels()).toEqual([
      'controller/get/widgets.example.com/default/a#0!setup!sent',
      'controller/get/widgets.example.com/default/a#0!sent',
    ]);
    takeAll();
    expect(told.lines).toEqual(['404']);
    expect(new Set(recorder.operations.map(({ label }) => label)).size).toBe(2);
  });
});
