import { describe, expect, it } from 'vitest';
import { WIDGETS, WIDGETS_PATH } from 'stalemate-apiserver/testing';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { nameInLabels, type History, type ProcessEvent } from '../../model/history.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Containment } from './host.ts';
import { takeReferences } from './references.ts';
import { checkAlive } from './undisturbed-trouble.ts';
import { emptyHistory } from './empty-history.ts';
import { label, restless, runnerOf, SAMPLE, setPhase, setReady, thinTarget, withChild, workload } from './testing.ts';
import type { Send } from './testing.ts';

const WIDGET_KIND = { apiVersion: 'example.com/v1', kind: 'Widget' };
const REST: History['settlement'] = { result: 'quiescent', windowMs: 1 };
const CONTAINED: Containment = { network: 'none', warning: null };

function failedWith(kind: ProcessEvent['kind']): ProcessEvent {
  return { at: 0, timeMs: 0, actor: 'controller', kind, detail: 'why' };
}

const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'lock', namespace: 'default' },
  spec: { holderIdentity: 'me' },
};

/** Writes the time to a lease every two seconds, like leader election. */
function renewLease(send: Send): void {
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  void send('POST', path, LEASE).catch(() => {});
  const renew = async (): Promise<void> => {
    const lease = (await send('GET', `${path}/lock`)).body as KubeObject;
    const spec = { holderIdentity: 'me', renewTime: new Date().toISOString().replace('Z', '000Z') };
    await send('PUT', `${path}/lock`, { ...lease, spec });
  };
  setInterval(() => void renew().catch(() => {}), 2_000);
}

describe('references', () => {
  it('learn which leaves the target owns, by role, and what it reads', async () => {
    const { reference } = await takeReferences(runnerOf(thinTarget(withChild)), workload(), [WIDGETS]);

    expect(reference.ownedLeaves['widgets.example.com:a']).toEqual(['status.phase']);
    expect(reference.ownedLeaves['configmaps:a-child']).toContain('data.of');
    expect(reference.reads).toEqual(['configmaps', 'widgets.example.com']);
    expect(reference.staleLists).toEqual(['widgets.example.com']);
    expect(reference.idle).toEqual({ requestsPerMinute: 0, writesPerMinute: 0 });
    // Only ids differ from run to run.
    expect(reference.volatileLeaves).toEqual({ 'configmaps:a-child': ['metadata.ownerReferences[uid=*].uid'] });
  });

  it('learn the children that it makes, and how many at once', async () => {
    const { reference } = await takeReferences(runnerOf(thinTarget(withChild)), workload(), []);

    expect(reference.children).toMatchObject([
      { owner: 'widgets.example.com:a', role: 'configmaps:a-child', surges: false },
    ]);
    expect(Object.values(reference.children[0]?.maxBySpec ?? {})).toEqual([1]);
  });

  it('tell an object from its copy of the same name in another namespace, but not in labels', async () => {
    const copies = thinTarget(async (widget, send) => {
      const copy = { ...WIDGET_KIND, metadata: { name: widget.metadata.name ?? '' }, spec: { size: 7 } };
      if (widget.metadata.namespace === 'default')
        await send('POST', WIDGETS_PATH.replace('/default/', '/kube-public/'), copy).catch(() => {});
    });

    const { reference, history = emptyHistory('') } = await takeReferences(runnerOf(copies), workload(), []);

    expect(Object.keys(reference.ownedLeaves)).toEqual(['widgets.example.com:kube-public/a']);
    expect(Object.values(history.names).toSorted()).toEqual(['default/a', 'kube-public/a']);
    expect(history.operations.map((one) => one.label)).toContainEqual(
      expect.stringMatching(/\/create\/widgets\.example\.com\/kube-public\/a#0/),
    );
    expect(history.revisions.map((revision) => nameInLabels(history, revision))).toEqual(
      history.revisions.map(() => 'a'),
    );
  });

  it('learn what varies by nature', async () => {
    const clock = thinTarget(async (widget, send) => {
      if (widget['status'] === undefined) await setPhase(widget, new Date().toISOString(), send);
    });

    const { reference } = await takeReferences(runnerOf(clock), workload(), []);

    expect(reference.volatileLeaves).toEqual({ 'widgets.example.com:a': ['status.phase'] });
  });

  it('learn how busy the target is at rest, and then do not count its reads as activity', async () => {
    const poll = (send: Send): void => {
      setInterval(() => void send('GET', WIDGETS_PATH).catch(() => {}), 5_000);
    };
    const runner = runnerOf(thinTarget(setReady, poll));

    const { reference } = await takeReferences(runner, workload(), []);

    expect(reference.idle.requestsPerMinute).toBeGreaterThan(10);
    expect(reference.idle.requestsPerMinute).toBeLessThan(14);
    expect(reference.idle.writesPerMinute).toBe(0);
    expect(runner.habits.readsAreActivity).toBe(false);
  });

  it('come to rest though the target polls all the time, and offer values to change between', async () => {
    const poll = (send: Send): void => {
      setInterval(() => void send('GET', WIDGETS_PATH).catch(() => {}), 500);
    };
    const runner = runnerOf(thinTarget(setReady, poll));

    const { reference, warnings, aim } = await takeReferences(runner, workload(), [WIDGETS]);

    expect(warnings).toEqual([]);
    expect(aim.healthySpecChanges.length).toBeGreaterThan(0);
    expect(reference.idle.requestsPerMinute).toBeGreaterThan(110);
    expect(runner.habits.readsAreActivity).toBe(false);
  });

  it('learn how much the target does without a pause, so that no more of it is taken for a loop', async () => {
    const thorough = thinTarget(async (widget, send) => {
      for (let n = 0; n < 150; n++) await send('GET', WIDGETS_PATH);
      await setReady(widget, send);
    });
    const runner = runnerOf(thorough);
    await takeReferences(runner, workload(), [WIDGETS]);

    const trial = { workload: workload(), schedule: EMPTY_SCHEDULE };
    const { settlement } = await runner.run(trial, {
      afterRest: [{ actor: 'user', writer: 'user', ops: [label('a')] }],
    });

    expect(settlement.result).toBe('quiescent');
  });

  it('never come to rest with a target that asks without a pause', async () => {
    const spin = (send: Send): void => {
      const again = (): void => void send('GET', WIDGETS_PATH).then(again, () => {});
      again();
    };

    const { warnings } = await takeReferences(runnerOf(thinTarget(setReady, spin)), workload(), []);

    expect(warnings).toEqual([expect.stringContaining('never comes to rest')]);
  });

  it('recognise a lock by how it is rewritten', async () => {
    const { reference } = await takeReferences(runnerOf(thinTarget(setReady, renewLease)), workload(), []);

    expect(reference.locks).toEqual(['leases.coordination.k8s.io:lock']);
    expect(reference.idle.writesPerMinute).toBeGreaterThan(25);
  });

  it('aim at the sample and at what the target makes, and offer values that settle healthy', async () => {
    const { aim } = await takeReferences(runnerOf(thinTarget(withChild)), workload(), [WIDGETS]);

    expect(
      aim.objects.map(({ target, relation, hasStatus, hasScale }) => [target.name, relation, hasStatus, hasScale]),
    ).toEqual([
      ['a', 'sample', true, true],
      ['a-child', 'created-by-target', false, false],
    ]);
    expect(aim.healthySpecChanges.length).toBeGreaterThan(0);
  });

  it('offer no value for which a target that is otherwise at rest waits and asks, again and again', async () => {
    const waiting = thinTarget(async (widget, send) => {
      await setReady(widget, send);
      const { colour } = widget['spec'] as { readonly colour?: string };
      if (colour === 'red') return;
      setInterval(() => void send('GET', `/api/v1/namespaces/default/secrets/${colour ?? ''}`).catch(() => {}), 3_000);
    });
    const { aim } = await takeReferences(runnerOf(waiting), workload(), [WIDGETS]);

    expect(aim.healthySpecChanges.length).toBeGreaterThan(0);
    expect(aim.healthySpecChanges.map(({ path }) => path)).not.toContainEqual(['spec', 'colour']);
  });

  it('leave out changes of the spec that there is no time for, and never the rest', async () => {
    const { aim, reference, changesLeft } = await takeReferences(
      runnerOf(thinTarget(withChild)),
      workload(),
      [WIDGETS],
      Number.NEGATIVE_INFINITY,
    );

    expect(changesLeft).toBeGreaterThan(0);
    expect(aim.healthySpecChanges).toEqual([]);
    expect(reference.runs).toBe(4);
  });

  it('warn about a target that never rests', async () => {
    const runner = runnerOf(thinTarget(restless()), { settleStepsMax: 100 });

    const { warnings, aim } = await takeReferences(runner, workload(), [WIDGETS]);

    expect(warnings).toEqual([expect.stringContaining('never comes to rest')]);
    expect(aim.healthySpecChanges).toEqual([]);
  });

  it('warn about writes that are refused again and again though nobody disturbs', async () => {
    const invalid = thinTarget(async (widget, send) => {
      for (let n = 0; n < 3; n++) await send('PUT', `${WIDGETS_PATH}/a`, { ...widget, spec: { size: 1_000 } });
    });

    const { warnings } = await takeReferences(runnerOf(invalid), workload(), []);

    expect(warnings).toEqual([expect.stringMatching(/update of widgets\.example\.com\/a was refused 3 times \(422 /)]);
  });
});

describe('a target that cannot be tested', () => {
  it('is one that never asks for anything', async () => {
    const mute = runnerOf(() => ({ crash: () => {} }));

    await expect(takeReferences(mute, workload(), [])).rejects.toMatchObject({
      code: 'TARGET_FAILED',
      message: expect.stringContaining('sent no request') as string,
    });
  });

  it('is one whose start fails', async () => {
    const broken = runnerOf((_actor, _upstream, tell) => {
      tell('start-failed', 'boom');
      return { crash: () => {} };
    });

    await expect(takeReferences(broken, workload(), [])).rejects.toThrow('start() failed: boom');
  });

  it('is one that exits before it asked', () => {
    expect(() => checkAlive(emptyHistory('code 3'))).toThrow('exited while starting (code 3)');
  });

  it.each<[string, Partial<History>, Containment | undefined]>([
    ['exits', {}, undefined],
    ['exits, as a program', { settlement: REST }, CONTAINED],
    ['cannot be started', { processes: [failedWith('start-failed')] }, CONTAINED],
    ['fails to start', { processes: [failedWith('unhandled')] }, undefined],
    ['is silent', { processes: [], settlement: REST }, undefined],
    ['is silent, as a program', { processes: [], settlement: REST }, CONTAINED],
    ['is never ready', { processes: [] }, CONTAINED],
  ])('has its last words told where it %s', (_, more, containment) => {
    const logs = [{ actor: 'controller', line: 'no \u0007 database', at: 1, timeMs: 0 }];
    const history = { ...emptyHistory('why'), ...more, logs };

    expect(() => checkAlive(history, containment)).toThrow(
      /^the target (?!.*database)[^\n]*\nThe target printed last:\n {2}no \\u0007 database$/,
    );
  });

  it('is one whose sample the server refuses', async () => {
    const base = { ...workload(), sample: [{ ...SAMPLE, spec: { size: 1_000 } }] };

    await expect(takeReferences(runnerOf(thinTarget(setReady)), base, [])).rejects.toMatchObject({
      code: 'MANIFEST_INVALID',
    });
  });
});
