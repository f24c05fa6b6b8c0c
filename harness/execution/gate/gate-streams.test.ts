import { describe, expect, it } from 'vitest';
import { CONFIGMAPS_PATH, configMap } from 'stalemate-apiserver/testing';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { gateRig } from './gate-testing.ts';
import type { GateRig } from './gate-testing.ts';

const STREAM = 'controller/watch/configmaps/default#0';

function create(rig: GateRig, ...names: readonly string[]): void {
  for (const name of names) {
    rig.send('user', 'POST', CONFIGMAPS_PATH, configMap(name));
    rig.take(`user/create/configmaps/default/${name}#0!sent`);
    rig.take(`user/create/configmaps/default/${name}#0!answered`);
  }
}

describe('a watch at the gate', () => {
  it('delivers nothing before the actor was told that the stream is open', () => {
    const rig = gateRig();
    create(rig, 'a');
    const watch = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);

    rig.take(`${STREAM}!sent`);
    create(rig, 'b');

    expect(rig.labels()).toEqual([`${STREAM}!answered`]);
    expect(watch.lines).toEqual([]);
    rig.takeAll();
    expect(watch.lines).toEqual(['open', 'ADDED a', 'ADDED b']);
  });

  it('shows one event at a time, in the order of the server', () => {
    const rig = gateRig();
    const watch = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    rig.takeAll();

    create(rig, 'a', 'b', 'c');

    expect(rig.labels()).toEqual([`${STREAM}/a@0`]);
    rig.take(`${STREAM}/a@0`);
    expect(rig.labels()).toEqual([`${STREAM}/b@1`]);
    rig.takeAll();
    expect(watch.lines).toEqual(['open', 'ADDED a', 'ADDED b', 'ADDED c']);
  });

  it('lets what the actor sends on opening arrive before the first event, and what it sends on an event behind the next', () => {
    const rig = gateRig();
    create(rig, 'a');
    const watch = { method: 'GET', path: CONFIGMAPS_PATH, query: { watch: 'true' }, headers: {} } as const;
    rig.gate.port('controller').send(watch, {
      answer: () => {},
      open: () => rig.send('controller', 'GET', `${CONFIGMAPS_PATH}/on-open`),
      event: () => rig.send('controller', 'GET', `${CONFIGMAPS_PATH}/on-event`),
      end: () => {},
    });
    rig.take(`${STREAM}!sent`);
    create(rig, 'b', 'c');

    rig.take(`${STREAM}!answered`);

    const onOpen = 'controller/get/configmaps/default/on-open#0!sent';
    expect(rig.labels()).toEqual([onOpen, `${STREAM}/a@0`]);
    rig.take(`${STREAM}/a@0`);
    expect(rig.labels()).toEqual([onOpen, `${STREAM}/b@1`, 'controller/get/configmaps/default/on-event#0!sent']);
  });

  it('keeps streams apart: one that lags does not hold up the other', () => {
    const rig = gateRig();
    const lagging = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    const other = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    rig.takeAll();

    create(rig, 'a', 'b');
    rig.take('controller/watch/configmaps/default#1/a@0');
    rig.take('controller/watch/configmaps/default#1/b@1');

    expect(other.lines).toEqual(['open', 'ADDED a', 'ADDED b']);
    expect(lagging.lines).toEqual(['open']);
    expect(rig.labels()).toEqual([`${STREAM}/a@0`]);
  });

  it('records when an event was available and when it was seen', () => {
    const rig = gateRig();
    rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    rig.takeAll();
    create(rig, 'a');
    const committed = rig.recorder.revisions.at(-1);

    rig.takeAll();

    const [delivery] = rig.recorder.deliveries;
    expect(delivery).toMatchObject({ stream: STREAM, k: 0, type: 'ADDED', revision: committed?.revision });
    expect(delivery?.available.at).toBeGreaterThan(committed?.at ?? Number.NaN);
    expect(delivery?.at).toBeGreaterThan(delivery?.available.at ?? Number.NaN);
    expect(delivery?.object).toBe(committed?.object);
  });

  it('passes the end of the stream on behind the events that came before it', () => {
    const rig = gateRig();
    const watch = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    rig.takeAll();
    create(rig, 'a');

    rig.server.closeWatches();
    expect(watch.lines).toEqual(['open']);
    rig.takeAll();

    expect(watch.lines).toEqual(['open', 'ADDED a', 'end']);
    expect(rig.recorder.streamEnds).toMatchObject([{ stream: STREAM, why: 'server' }]);
  });

  it('ends with an error where the connection to the server breaks off', () => {
    let breakOff = (): void => {};
    const lossy = (server: Upstream): Upstream => ({
      send: (request, sink) => {
        breakOff = () => sink.end({ code: 'ECONNRESET', message: 'read ECONNRESET' });
        return server.send(request, sink);
      },
    });
    const rig = gateRig({}, lossy);
    const watch = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    rig.takeAll();

    breakOff();
    rig.takeAll();

    expect(watch.lines).toEqual(['open', 'ECONNRESET']);
  });

  it('is no stream when the server refuses it', () => {
    const rig = gateRig();
    const watch = rig.send('controller', 'GET', '/api/v1/namespaces/default/nosuchthings?watch=true');

    rig.takeAll();

    expect(watch.lines).toEqual(['404']);
    expect(rig.recorder.streamEnds).toEqual([]);
    expect(rig.recorder.operations[0]?.outcome).toMatchObject({ type: 'fail', code: 404 });
  });
});

describe('an actor that aborts', () => {
  it('ends its stream: what was still waiting never arrives', () => {
    const rig = gateRig();
    const watch = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    rig.takeAll();
    create(rig, 'a');

    watch.abort();
    create(rig, 'b');

    expect(rig.labels()).toEqual([]);
    expect(watch.lines).toEqual(['open']);
    expect(rig.recorder.streamEnds).toMatchObject([{ stream: STREAM, why: 'aborted-by-actor' }]);
  });

  it('takes back a request that the server has not seen', () => {
    const rig = gateRig();
    const told = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));

    told.abort();

    expect(rig.labels()).toEqual([]);
    expect(rig.server.object('configmaps', 'default', 'a')).toBeUndefined();
    expect(rig.recorder.operations[0]?.outcome).toEqual({ type: 'info', why: 'aborted by the actor' });
  });

  it('does not undo what the server has committed', () => {
    const rig = gateRig();
    const told = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));
    rig.take('controller/create/configmaps/default/a#0!sent');

    told.abort();

    expect(rig.labels()).toEqual([]);
    expect(told.lines).toEqual([]);
    expect(rig.recorder.operations[0]).toMatchObject({ outcome: { type: 'info' }, committed: [rig.server.revision] });
  });

  it('cannot abort what has been answered', () => {
    const rig = gateRig();
    const told = rig.send('controller', 'GET', CONFIGMAPS_PATH);
    rig.takeAll();
    const { activity } = rig.gate;

    told.abort();

    expect(rig.recorder.operations[0]?.outcome).toMatchObject({ type: 'ok', code: 200 });
    expect(rig.gate.activity).toBe(activity);
  });
});
