import { describe, expect, it } from 'vitest';
import { CONFIGMAPS_PATH, configMap } from 'stalemate-apiserver/testing';
import type { FaultAction } from '../../model/schedule.ts';
import { gateRig } from './gate-testing.ts';
import type { GateRig } from './gate-testing.ts';

const CREATE = 'controller/create/configmaps/default/a#0';
const STREAM = 'controller/watch/configmaps/default#0';

function seed(rig: GateRig, ...names: readonly string[]): void {
  for (const name of names) rig.send('user', 'POST', CONFIGMAPS_PATH, configMap(name));
  rig.takeAll();
}

/** Returns a rig with an open watch whose events for `a` and `b` wait to be delivered. */
function watching(): { readonly rig: GateRig; readonly told: { readonly lines: readonly string[] } } {
  const rig = gateRig();
  const told = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
  rig.takeAll();
  for (const name of ['a', 'b']) {
    rig.send('user', 'POST', CONFIGMAPS_PATH, configMap(name));
    rig.take(`user/create/configmaps/default/${name}#0!sent`);
    rig.take(`user/create/configmaps/default/${name}#0!answered`);
  }
  return { rig, told };
}

describe('a failure in the place of an answer', () => {
  const statuses: readonly [429 | 500 | 503 | 504, string][] = [
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [503, 'ServiceUnavailable'],
    [504, 'Timeout'],
  ];

  it.each(statuses)('answers %d with reason %s and keeps the request from the server', (status, reason) => {
    const rig = gateRig();
    const told = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));

    rig.take(`${CREATE}!sent`, { do: 'fail', status });
    expect(rig.labels()).toEqual([`${CREATE}!answered`]);
    rig.takeAll();

    expect(told.lines).toEqual([String(status)]);
    expect(told.answer?.headers).toBeUndefined();
    expect(rig.server.object('configmaps', 'default', 'a')).toBeUndefined();
    const [operation] = rig.recorder.operations;
    expect(operation).toMatchObject({ outcome: { type: 'fail', code: status, reason }, fault: `fail ${status}` });
    expect(operation).not.toHaveProperty('sent');
    expect(rig.recorder.decisions).toMatchObject([
      { kind: 'fault', label: `${CREATE}!sent`, detail: `fail with ${status}` },
    ]);
  });

  it('says in header and body when to come back, if the fault says so', () => {
    const rig = gateRig();
    const told = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));

    rig.take(`${CREATE}!sent`, { do: 'fail', status: 429, retryAfterSeconds: 7 });
    rig.takeAll();

    expect(told.answer?.headers).toEqual({ 'retry-after': '7' });
    expect(told.answer?.body).toMatchObject({ details: { retryAfterSeconds: 7 } });
    expect(rig.recorder.decisions[0]?.detail).toBe('fail with 429 (retry after 7 s)');
  });

  it('makes a watch fail before it has a stream', () => {
    const rig = gateRig();
    const told = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);

    rig.take(`${STREAM}!sent`, { do: 'fail', status: 500 });
    rig.takeAll();

    expect(told.lines).toEqual(['500']);
    expect(rig.recorder.streamEnds).toEqual([]);
  });
});

describe('a connection that breaks', () => {
  it('is certain not to have taken effect when it was refused', () => {
    const rig = gateRig();
    const told = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));

    rig.take(`${CREATE}!sent`, { do: 'refuse' });
    rig.takeAll();

    expect(told.lines).toEqual(['ECONNREFUSED']);
    expect(rig.server.object('configmaps', 'default', 'a')).toBeUndefined();
    expect(rig.recorder.operations[0]).toMatchObject({
      outcome: { type: 'fail', code: 0, reason: 'ConnectionRefused' },
      committed: [],
      fault: 'refuse',
    });
  });

  it('leaves the outcome open when the response is lost after the commit', () => {
    const rig = gateRig();
    const told = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));

    rig.take(`${CREATE}!sent`);
    rig.take(`${CREATE}!answered`, { do: 'lose-response' });

    expect(told.lines).toEqual(['ECONNRESET']);
    expect(rig.recorder.revisions).toMatchObject([{ type: 'ADDED', name: 'a', actor: 'controller', op: 0 }]);
    expect(rig.recorder.operations[0]).toMatchObject({
      outcome: { type: 'info', why: 'socket hang up' },
      committed: [rig.server.revision],
      fault: 'lose-response',
    });
  });
});

describe('a watch that is ended early', () => {
  it('closes cleanly in the place of the event, which is not delivered', () => {
    const { rig, told } = watching();

    rig.take(`${STREAM}/a@0`, { do: 'close-watch' });

    expect(told.lines).toEqual(['open', 'end']);
    expect(rig.labels()).toEqual([]);
    expect(rig.recorder.deliveries).toEqual([]);
    expect(rig.recorder.streamEnds).toMatchObject([{ stream: STREAM, why: 'closed' }]);
  });

  it('expires with a 410 in the stream', () => {
    const { rig, told } = watching();
    rig.take(`${STREAM}/a@0`);

    rig.take(`${STREAM}/b@1`, { do: 'expire-watch' });

    expect(told.lines).toEqual(['open', 'ADDED a', 'ERROR 410', 'end']);
    expect(rig.labels()).toEqual([]);
    expect(rig.recorder.deliveries).toHaveLength(1);
    expect(rig.recorder.streamEnds).toMatchObject([{ stream: STREAM, why: 'expired' }]);
  });

  it('refuses the expired version again, and opens from a later one', () => {
    const { rig } = watching();
    rig.take(`${STREAM}/a@0`);
    rig.take(`${STREAM}/b@1`, { do: 'expire-watch' });
    const [first, second] = rig.recorder.revisions.map(({ revision }) => String(revision));

    const again = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true&resourceVersion=${first}`);
    rig.takeAll();
    const later = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true&resourceVersion=${second}`);
    rig.takeAll();

    expect(again.lines).toEqual(['open', 'ERROR 410', 'end']);
    expect(later.lines).toEqual(['open']);
  });

  it('opens where the client asks for the initial events, whatever version they may not be older than', () => {
    const { rig } = watching();
    rig.take(`${STREAM}/a@0`);
    rig.take(`${STREAM}/b@1`, { do: 'expire-watch' });
    const [first] = rig.recorder.revisions;
    const query = `watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=${first?.revision ?? 0}`;

    const again = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?${query}`);
    rig.takeAll();

    expect(again.lines).toEqual(['open', 'ADDED a', 'ADDED b']);
  });

  it('has expired also where the client closes it on hearing that', () => {
    const { rig } = watching();
    rig.take(`${STREAM}/a@0`, { do: 'expire-watch' });
    const [first] = rig.recorder.revisions;
    const again = rig.send(
      'controller',
      'GET',
      `${CONFIGMAPS_PATH}?watch=true&resourceVersion=${(first?.revision ?? 0) - 1}`,
    );
    const label = STREAM.replace(/0$/, '1');
    rig.take(`${label}!sent`);
    rig.take(`${label}!answered`);
    rig.take(`${label}/-@0`);

    again.abort();

    expect(again.lines).toEqual(['open', 'ERROR 410']);
    expect(rig.recorder.streamEnds).toMatchObject([{ why: 'expired' }, { stream: label, why: 'expired' }]);
  });

  it('is reset in mid-stream when the response is lost', () => {
    const { rig, told } = watching();
    rig.take(`${STREAM}/a@0`);

    rig.take(`${STREAM}/b@1`, { do: 'lose-response' });

    expect(told.lines).toEqual(['open', 'ADDED a', 'ECONNRESET']);
    expect(rig.recorder.deliveries).toHaveLength(1);
    expect(rig.recorder.streamEnds).toMatchObject([{ stream: STREAM, why: 'closed' }]);
  });

  it('hears of no later change', () => {
    const { rig, told } = watching();
    rig.take(`${STREAM}/a@0`, { do: 'close-watch' });

    seed(rig, 'c');

    expect(told.lines).toEqual(['open', 'end']);
  });
});

describe('a list from the past', () => {
  const LIST = 'controller/list/configmaps/default/*#0';

  it('is a state that was true so many revisions ago', () => {
    const rig = gateRig();
    seed(rig, 'a', 'b', 'c');
    const told = rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?resourceVersion=0`);
    expect(rig.gate.pending[0]).toMatchObject({ staleable: true });

    rig.take(`${LIST}!sent`, { do: 'stale-list', behind: 2 });
    rig.takeAll();

    expect(told.answer).toMatchObject({
      code: 200,
      body: {
        metadata: { resourceVersion: String(rig.server.revision - 2) },
        items: [{ metadata: { name: 'a' } }],
      },
    });
    expect(rig.recorder.operations.at(-1)).toMatchObject({
      query: { resourceVersion: '0' },
      outcome: { type: 'ok', listRevision: rig.server.revision - 2 },
      fault: 'stale-list',
    });
  });

  it('is offered only to those who ask at version 0', () => {
    const rig = gateRig();

    rig.send('controller', 'GET', CONFIGMAPS_PATH);
    rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?resourceVersion=5`);
    rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true&resourceVersion=0`);

    expect(rig.gate.pending.map(({ staleable }) => staleable)).toEqual([false, false, false]);
  });
});

describe('a crash', () => {
  const crash: FaultAction = { do: 'crash' };

  it('before the request is sent keeps it from the server for ever', () => {
    const { rig, told } = watching();
    const write = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('c'));
    const { revision } = rig.server;

    rig.take('controller/create/configmaps/default/c#0!sent', crash);

    expect(rig.hooked).toEqual(['controller']);
    expect(rig.labels()).toEqual([]);
    expect(rig.server.revision).toBe(revision);
    expect(write.lines).toEqual([]);
    expect(told.lines).toEqual(['open']);
    expect(rig.recorder.operations.at(-1)).toMatchObject({ outcome: { type: 'info', why: 'crash' }, committed: [] });
    expect(rig.recorder.streamEnds).toMatchObject([{ stream: STREAM, why: 'crash' }]);
  });

  it('before the answer leaves the write done and its actor without word', () => {
    const rig = gateRig();
    const write = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));
    rig.take(`${CREATE}!sent`);

    rig.take(`${CREATE}!answered`, crash);

    expect(write.lines).toEqual([]);
    expect(rig.server.object('configmaps', 'default', 'a')).toBeDefined();
    expect(rig.recorder.operations[0]).toMatchObject({
      outcome: { type: 'info', why: 'crash' },
      committed: [rig.server.revision],
    });
  });

  it('leaves everybody else alone', () => {
    const rig = gateRig();
    const other = rig.send('controller~2', 'GET', CONFIGMAPS_PATH);
    rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));

    rig.take(`${CREATE}!sent`, crash);
    rig.takeAll();

    expect(other.lines).toEqual(['200']);
  });
});

describe('cutting an actor', () => {
  it('takes away its requests, answers and streams, and hears nothing of it later', () => {
    const { rig, told } = watching();
    const write = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('c'));
    const read = rig.send('controller', 'GET', CONFIGMAPS_PATH);
    rig.take('controller/list/configmaps/default/*#0!sent');

    rig.gate.cut('controller');
    write.abort();
    seed(rig, 'd');

    expect([...told.lines, ...write.lines, ...read.lines]).toEqual(['open']);
    expect(rig.server.object('configmaps', 'default', 'c')).toBeUndefined();
    expect(rig.recorder.streamEnds).toMatchObject([{ why: 'crash' }]);
  });

  it('records no end of a stream that its actor never saw open', () => {
    const rig = gateRig();
    rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    rig.send('controller', 'GET', `${CONFIGMAPS_PATH}?watch=true`);
    rig.take(`${STREAM}!sent`);

    rig.gate.cut('controller');

    expect(rig.recorder.streamEnds).toEqual([]);
    expect(rig.recorder.operations.map(({ outcome }) => outcome)).toEqual([
      { type: 'info', why: 'crash' },
      { type: 'info', why: 'crash' },
    ]);
  });
});

describe('a second replica', () => {
  it('starts where the schedule says, and the request goes its way', () => {
    const rig = gateRig();
    const told = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));

    rig.take(`${CREATE}!sent`, { do: 'start-replica' });
    rig.takeAll();

    expect(rig.hooked).toEqual(['replica']);
    expect(told.lines).toEqual(['201']);
    expect(rig.recorder.decisions).toMatchObject([{ kind: 'fault', detail: 'start a second replica' }]);
  });
});

describe('a pause', () => {
  it('begins where the schedule says, and the request goes its way', () => {
    const rig = gateRig();
    const told = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));

    rig.take(`${CREATE}!sent`, { do: 'pause', forMs: 300 });
    rig.takeAll();

    expect(rig.hooked).toEqual(['pause controller 300']);
    expect(told.lines).toEqual(['201']);
    expect(rig.recorder.decisions).toMatchObject([{ kind: 'fault', detail: 'stop the target for 300 ms' }]);
  });
});

describe('a delay', () => {
  it('keeps a request from the server until its time has come', () => {
    const rig = gateRig();
    const told = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));

    rig.take(`${CREATE}!sent`, { do: 'delay', forMs: 16_000 });
    expect(rig.labels()).toEqual([]);
    expect(rig.server.object('configmaps', 'default', 'a')).toBeUndefined();
    rig.arriveLate();
    expect(rig.labels()).toEqual([`${CREATE}!sent!late`]);
    rig.takeAll();

    expect(rig.hooked).toEqual([`delay ${CREATE}!sent 16000`]);
    expect(told.lines).toEqual(['201']);
    expect(rig.recorder.decisions).toMatchObject([{ kind: 'fault', detail: 'delay it for 16 s' }]);
  });

  it('of an event keeps those behind it, in their order', () => {
    const { rig, told } = watching();

    rig.take(`${STREAM}/a@0`, { do: 'delay', forMs: 60_000 });
    expect(rig.labels()).toEqual([]);
    rig.arriveLate();
    rig.takeAll();

    expect(told.lines).toEqual(['open', 'ADDED a', 'ADDED b']);
  });

  it('is over for whoever has gone meanwhile', () => {
    const rig = gateRig();
    const told = rig.send('controller', 'POST', CONFIGMAPS_PATH, configMap('a'));

    rig.take(`${CREATE}!sent`, { do: 'delay', forMs: 16_000 });
    told.abort();
    rig.arriveLate();

    expect(rig.labels()).toEqual([]);
    expect(rig.server.object('configmaps', 'default', 'a')).toBeUndefined();
  });
});

describe('the gate', () => {
  it('refuses to execute what is not pending', () => {
    const rig = gateRig();
    rig.send('controller', 'GET', CONFIGMAPS_PATH);
    const [item] = rig.gate.pending;
    rig.takeAll();
    if (item === undefined) throw new TypeError('nothing was pending');

    expect(() => rig.gate.execute(item)).toThrow('not pending');
  });
});
