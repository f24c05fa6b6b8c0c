import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Outcome } from '../model/history.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import { tellStory } from './story.ts';
import { renderStory } from './terminal.ts';
import { deployment, findingOf, HistoryScript, lostUpdate } from './test-findings.ts';

const ok = (object: KubeObject): Outcome => ({ type: 'ok', code: 200, object });

function told(finding: Parameters<typeof tellStory>[0], width = 100): string {
  return renderStory(tellStory(finding), { width, color: false, replay: 'npx stalemate replay f.json' });
}

function widget(revision: number, status: string): KubeObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a', namespace: 'default', uid: 'u-a', resourceVersion: String(revision) },
    spec: { size: 1 },
    status: { seenAt: status },
  };
}

function pod(revision: number, n: number): KubeObject {
  const owner = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'a', uid: 'u-a', controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `a-x${n}`,
      generateName: 'a-',
      namespace: 'default',
      uid: `u-p${n}`,
      resourceVersion: String(revision),
      ownerReferences: [owner],
    },
    spec: { nodeName: '' },
  };
}

const REFUSED: Outcome = { type: 'fail', code: 0, reason: 'ConnectionRefused', message: '' };
const WIDGET = { resource: 'widgets.example.com', name: 'a' } as const;

describe('tellStory', () => {
  it('opens with what the controller had seen and marks the guilty request', () => {
    const story = tellStory(lostUpdate());

    expect(story.title).toBe('LOST UPDATE');
    expect(story.object).toBe('deployments/web');
    expect(story.actors).toEqual(['writer-1', 'controller']);
    expect(story.rows[0]).toMatchObject({ row: 'seen', actor: 'controller', text: '(101 replicas=3)' });
    expect(story.rows.filter((row) => row.row === 'operation' && row.guilty)).toHaveLength(1);
    expect(story.rows.at(-1)).toMatchObject({ guilty: true, remark: "writer-1's change is gone" });
  });

  it('tells a request below the fault that kept it from the server, whatever it is about', () => {
    const script = new HistoryScript();
    script.contention();
    const asked = script.call({
      actor: 'controller',
      verb: 'delete',
      resource: 'pods',
      name: 'a-x1',
      outcome: REFUSED,
    });
    const history = script.history();
    const { sent: _sent, ...unsent } = asked;
    const at = script.mark().at;
    const label = `${asked.label}!sent`;
    const record = {
      ...history,
      operations: [{ ...unsent, fault: 'refuse' }],
      decisions: [{ at, timeMs: 0, kind: 'fault', label, detail: 'refuse the connection' }],
    } as const;
    const finding = lostUpdate();
    const faults = [{ do: 'refuse', at: label }] as const;
    const counterexample = { ...finding.counterexample, schedule: { ...EMPTY_SCHEDULE, faults } };
    const violation = { ...finding.violation, operations: [], revisions: [], at: script.mark().at };

    expect(tellStory({ violation, record, counterexample }).rows).toMatchObject([
      { row: 'deviation', kind: 'fault' },
      { row: 'operation', request: 'DELETE pods/a-x1', answer: 'connection refused' },
    ]);
  });

  it('leaves out the setup and what came after the violation', () => {
    const finding = lostUpdate();
    const story = tellStory({
      ...finding,
      violation: { ...finding.violation, at: finding.record.operations[3]?.answered?.at ?? 0 },
    });

    expect(story.rows.filter((row) => row.row === 'operation').map((row) => row.id)).toEqual([1, 2, 3]);
  });

  it('begins before contention when the violation does', () => {
    const finding = lostUpdate();
    const late = { phases: [{ phase: 'contention', at: 1000, timeMs: 0 }] } as const;

    const story = tellStory({ ...finding, record: { ...finding.record, ...late } });

    expect(story.rows.at(-1)).toMatchObject({ guilty: true });
  });

  it('tells a cycle once and counts the rest', () => {
    const script = new HistoryScript();
    script.contention();
    let current = widget(101, 't0');
    script.call({ actor: 'user', verb: 'create', ...WIDGET, body: current, made: current, outcome: ok(current) });
    const writes: number[] = [];
    for (let round = 0; round < 42; round++) {
      script.call({ actor: 'controller', verb: 'get', ...WIDGET, outcome: ok(current) });
      const next = widget(102 + round, `t${round + 1}`);
      const body = { ...next, metadata: current.metadata };
      const put = { actor: 'controller', verb: 'update', ...WIDGET, subresource: 'status' } as const;
      writes.push(script.call({ ...put, body, made: next, outcome: ok(next) }).id);
      script.pass(500);
      current = next;
    }
    const signature = {
      property: 'bounded-rate',
      class: 'self-triggered-writes',
      actors: ['target'],
      kind: 'widgets.example.com',
      field: 'status.seenAt',
    };
    const text = told(findingOf(script.history(), { signature, sentence: 's', operations: writes.slice(-1) }));

    expect(text).toContain('… 41 more like rows 2–3, over 21 s in all');
    expect(text).toMatch(/3 +PUT \/status 101 seenAt=t1 ─+▶ 102 seenAt=t1 {2}✗/);
    expect(text.split('\n').length).toBeLessThan(13);
  });

  it('counts the living siblings at every create', () => {
    const script = new HistoryScript();
    const owner = widget(101, '');
    script.call({ actor: 'user', verb: 'create', ...WIDGET, body: owner, made: owner, outcome: ok(owner) });
    script.contention();
    const creates = [1, 2, 3].map((n) => {
      const made = pod(101 + n, n);
      script.name(`u-p${n}`, `a/worker~${n}`);
      const empty: Outcome = { type: 'ok', code: 200, items: [], listRevision: 101 };
      script.call({ actor: 'controller', verb: 'list', resource: 'pods', name: '', outcome: empty });
      return script.call({
        actor: 'controller',
        verb: 'create',
        resource: 'pods',
        name: made.metadata.name ?? '',
        body: made,
        made,
        outcome: ok(made),
      });
    });
    const stream = 'controller/watch/pods/default#0';
    const until = 'controller/create/pods/default/*#2!answered';
    const finding = findingOf(
      script.history({ missed: ['controller/create/pods/default/*#9!sent'] }),
      {
        signature: { property: 'cardinality', class: 'too-many', actors: ['target'], kind: 'pods', field: '' },
        sentence: 'controller created a third pod for widget a, which asks for two.',
        operations: [creates[2]?.id ?? -1],
      },
      { schedule: { ...EMPTY_SCHEDULE, holds: [{ stream, from: '@0', until }] }, stats: { holds: 1, heldItems: 2 } },
    );
    const text = told(finding);

    expect(text).toMatch(/POST pods\/a\/worker~1 ─+▶ 102 \(1 alive\)/);
    expect(text).toMatch(/POST pods\/a\/worker~3 ─+▶ 104 \(3 alive\) {2}✗ number 3 is one too many/);
    expect(text).toContain('LIST pods ➜ 0 at 101');
    expect(text).toContain('never happened: controller/create/pods/default/*#9!sent');
    expect(text).toContain('lag of 2 events');
  });

  it('compares with the expected state when it did not converge', () => {
    const script = new HistoryScript();
    script.contention();
    const made = deployment(101, 'v1', 3);
    const create = script.call({
      actor: 'user',
      verb: 'create',
      resource: 'deployments.apps',
      name: 'web',
      body: made,
      made,
      outcome: ok(made),
    });
    const expected = { 'deployments.apps/default/web': deployment(7, 'v1', 5) };
    const history = script.history({
      probes: [{ probe: 'expected-state', outcomes: [{ objects: expected }], settled: true }],
    });
    const signature = {
      property: 'convergence',
      class: 'diverged',
      actors: ['target'],
      kind: 'deployments.apps',
      field: 'spec.replicas',
    };
    const text = told(findingOf(history, { signature, sentence: 's', operations: [create.id] }));

    expect(text).toContain('NOT CONVERGED');
    expect(text).toContain('at rest  deployments/web spec.replicas: 3, expected 5');
  });

  it('tells a crash with its error and the last requests before it', () => {
    const script = new HistoryScript();
    script.contention();
    const missing: Outcome = { type: 'fail', code: 404, reason: 'NotFound', message: 'gone' };
    script.call({ actor: 'controller', verb: 'get', ...WIDGET, outcome: missing });
    script.process(
      'controller',
      'unhandled',
      "TypeError: Cannot read properties of undefined (reading 'spec')\n    at x.ts:1",
    );
    const signature = { property: 'survival', class: 'unhandled', actors: ['target'], kind: '', field: '' };
    const text = told(findingOf(script.history(), { signature, sentence: 's', operations: [] }));

    expect(text).toContain('GET ➜ 404 NotFound');
    expect(text).toContain("    ✗ unhandled: TypeError: Cannot read properties of undefined (reading 'spec')");
    expect(text).not.toContain('x.ts');
  });

  it('shows a lost answer, and a write made without having seen the latest versions', () => {
    const script = new HistoryScript();
    const before = widget(101, 'x');
    script.call({ actor: 'user', verb: 'create', ...WIDGET, body: before, made: before, outcome: ok(before) });
    script.call({ actor: 'controller', verb: 'get', ...WIDGET, outcome: ok(before) });
    script.contention();
    const other = widget(102, 'y');
    script.call({ actor: 'user', verb: 'update', ...WIDGET, body: other, made: other, outcome: ok(other) });
    const patched = widget(103, 'z');
    const patch = { verb: 'patch', ...WIDGET, body: { status: { seenAt: 'z' } } } as const;
    script.call({ actor: 'controller', ...patch, made: patched, outcome: { type: 'info', why: 'ECONNRESET' } });
    const last = widget(104, 'z2');
    const guilty = script.call({ actor: 'controller', ...patch, made: last, outcome: ok(last) });
    const signature = {
      property: 'my-own',
      class: 'c',
      actors: ['target'],
      kind: 'widgets.example.com',
      field: 'status.seenAt',
    };
    const text = told(findingOf(script.history(), { signature, sentence: 's', operations: [guilty.id] }), 120);

    expect(text).toContain('MY OWN  s');
    expect(text).toContain('▶ 103 seenAt=z  ✂ answer lost (ECONNRESET)');
    expect(text).toContain('⌛ 2 versions unseen');
  });

  it('keeps the first screen within 40 lines of 100 columns however long the run was', () => {
    const script = new HistoryScript();
    script.contention();
    let guilty = 0;
    for (let n = 0; n < 300; n++) {
      const made = deployment(101 + n, `v${n}`, n % 7);
      const actor = n % 3 === 0 ? 'controller' : `writer-${1 + (n % 5)}`;
      if (n % 2 === 0) script.deliver('controller', 'deployments.apps', made, n);
      const facts = { actor, resource: 'deployments.apps', name: 'web', body: made, made, outcome: ok(made) };
      guilty = script.call({ ...facts, verb: n % 4 === 0 ? 'patch' : 'update' }).id;
    }
    const finding = lostUpdate();
    const text = told({
      ...finding,
      record: script.history(),
      violation: { ...finding.violation, sentence: 'long '.repeat(300), operations: [guilty], revisions: [] },
    });

    expect(text.split('\n').length - 1).toBeLessThanOrEqual(40);
    expect(text).toContain('more steps on the way');
    expect(text).toContain('✗');
  });
});
