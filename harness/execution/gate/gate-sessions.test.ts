/** Tests that `exec` sessions are held, failed and lost at the gate like other requests, and recorded as reads for the properties. */
import { expect, it } from 'vitest';
import type { ExecAnswer } from 'stalemate-apiserver/wire/declared-answers';
import type { FaultAction } from '../../model/schedule.ts';
import { gateRig, type GateRig, type Told } from './gate-testing.ts';

const SENT = 'controller/get/pods/exec/default/p#0!sent';
const ANSWERED = 'controller/get/pods/exec/default/p#0!answered';

const EXEC = '/api/v1/namespaces/default/pods/p/exec?command=a&stdout=true';

function asking(exec: readonly ExecAnswer[] = [{ command: '^a$', stdout: 'said' }]): {
  readonly rig: GateRig;
  readonly told: Told;
} {
  const rig = gateRig({}, (server) => server, { exec });
  rig.server.seed([
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default', uid: 'p' },
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
      status: { phase: 'Running' },
    },
  ]);
  return {
    rig,
    told: rig.send('controller', 'POST', EXEC),
  };
}

it('holds a command until it may run, and its connection until that may open', () => {
  const { rig, told } = asking();
  expect(rig.labels()).toEqual([SENT]);
  expect(rig.gate.pending).toMatchObject([{ kind: 'send', verb: 'act', write: true }]);
  rig.take(SENT);
  expect([rig.labels(), told.lines]).toEqual([[ANSWERED], []]);
  rig.take(ANSWERED);

  expect(told.answer).toMatchObject({ code: 101, session: { type: 'command', command: ['a'] } });
  expect(rig.recorder.operations[0]).toMatchObject({ verb: 'get', outcome: { type: 'ok', code: 101 } });
});

it('has run a command whose answer is lost', () => {
  const { rig } = asking([
    { command: '^a$', after: '^a', stdout: 'again' },
    { command: '^a$', stdout: 'first' },
  ]);
  rig.take(SENT);
  rig.take(ANSWERED, { do: 'lose-response' });
  const told = rig.send('controller', 'POST', EXEC);
  rig.takeAll();

  const session = told.answer?.session;
  expect(session?.type === 'command' ? session.run('', true) : undefined).toMatchObject({ stdout: 'again' });
});

it.each<[FaultAction, string, string]>([
  [{ do: 'fail', status: 503 }, SENT, '503'],
  [{ do: 'refuse' }, SENT, 'ECONNREFUSED'],
  [{ do: 'lose-response' }, ANSWERED, 'ECONNRESET'],
])('passes on the fault %o', (fault, at, heard) => {
  const { rig, told } = asking();
  if (at === ANSWERED) rig.take(SENT);
  rig.take(at, fault);
  rig.takeAll();

  expect(told.lines).toEqual([heard]);
});
