import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { History, Operation, Revision } from '../../model/history.ts';
import { counterexampleOf, HistoryScript } from '../test-findings.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { recordOf } from '../record.ts';
import {
  ownSecretsOf,
  ownSecretsOfCounterexample,
  ownSecretsOfRecording,
  withoutForeignSecrets,
} from './foreign-secrets.ts';

function secret(namespace: string, name: string, kind = 'Secret'): KubeObject {
  const metadata = { name, namespace, uid: `${namespace}-${name}`, resourceVersion: '7' };
  return { apiVersion: 'v1', kind, metadata, data: { password: 'c2VjcmV0LW9mLW90aGVycw==' } };
}

const OURS = secret('default', 'ours');
const THEIRS = secret('production', 'theirs');
const MADE = secret('elsewhere', 'made');
/** A secret of an incarnation of the target, in a namespace of the run. */
const MOUNTED = secret('default', 'stalemate-target-0a1b');
const isOwn = ownSecretsOf({ namespace: 'default', samples: [] });

/**
 * Returns the history of a target that lists and watches all Secrets, gets a foreign one by name, and creates one in a
 * namespace that no option names.
 */
function seen(): History {
  const script = new HistoryScript();
  script.contention();
  const items = [OURS, THEIRS, MOUNTED];
  script.call({
    actor: 'controller',
    verb: 'list',
    resource: 'secrets',
    name: '',
    outcome: { type: 'ok', code: 200, items },
  });
  const object = THEIRS;
  script.call({
    actor: 'controller',
    verb: 'get',
    resource: 'secrets',
    name: 'theirs',
    outcome: { type: 'ok', code: 200, object },
  });
  script.call({
    ...{ actor: 'controller', verb: 'create', resource: 'secrets', name: 'made', body: MADE, made: MADE },
    outcome: { type: 'ok', code: 201, object: MADE },
  });
  for (const [k, one] of [OURS, THEIRS, MADE].entries()) script.deliver('controller', 'secrets', one, k);
  const history = script.history({
    names: { [THEIRS.metadata.uid ?? '']: 'theirs', [OURS.metadata.uid ?? '']: 'ours' },
    probes: [
      {
        probe: 'extended-settle',
        windowMs: 1,
        quiescent: true,
        final: [OURS, THEIRS, secret('production', 'map', 'ConfigMap')],
        names: {},
        writesAtRest: 0,
      },
      { probe: 'expected-state', settled: true, outcomes: [{ objects: { a: OURS, b: THEIRS } }] },
    ],
  });
  const observed = [OURS, THEIRS].map((one, at): Revision => ({
    ...{ revision: 5 + at, type: 'ADDED', resource: 'secrets', namespace: one.metadata.namespace ?? '' },
    ...{ name: one.metadata.name ?? '', uid: one.metadata.uid ?? '', object: one, op: -1, actor: 'environment' },
    ...{ at, timeMs: 0 },
  }));
  return { ...history, revisions: [...observed, ...history.revisions] };
}

/** Returns the uids of all Secrets that occur in the value. */
function uidsIn(value: unknown): readonly string[] {
  return [...new Set(JSON.stringify(value).match(/(?:default|production|elsewhere)-[\w-]+/g))].sort();
}

describe('a history on a cluster that is shared', () => {
  it('has the Secrets in the namespaces of the run and those that it made, and no others', () => {
    const history = withoutForeignSecrets(seen(), isOwn);

    expect(uidsIn(seen())).toHaveLength(5);
    expect(uidsIn(history)).toEqual(['default-ours', 'elsewhere-made', 'production-map']);
    expect(history.operations.map(({ verb, name }) => `${verb} ${name}`)).toEqual([
      'list ',
      'get theirs',
      'create made',
    ]);
    expect(history.operations[1]?.outcome).toEqual({ type: 'ok', code: 200 });
    expect(history.deliveries.map(({ k }) => k)).toEqual([0, 2]);
    const finding = {
      violation: { ...VIOLATION },
      counterexample: counterexampleOf(VIOLATION.signature, '', EMPTY_SCHEDULE),
    };
    expect(JSON.stringify(recordOf({ ...finding, record: history }))).not.toContain('"production-theirs"');
  });

  it('is the same one where all are of the run', () => {
    const history = seen();

    const own = { ...history, operations: history.operations.slice(2), deliveries: [], revisions: [], probes: [] };
    expect(withoutForeignSecrets(own, () => true)).toBe(own);
  });

  it('has those of namespaces that are made in the run', () => {
    const script = new HistoryScript();
    const namespace: KubeObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'production', uid: 'n', resourceVersion: '3' },
    };
    script.call({
      ...{ actor: 'user', verb: 'create', resource: 'namespaces', name: 'production', made: namespace },
      outcome: { type: 'ok', code: 201 },
    });
    script.deliver('controller', 'secrets', THEIRS, 0);

    expect(withoutForeignSecrets(script.history(), isOwn).deliveries).toHaveLength(1);
  });
});

const VIOLATION = {
  signature: { property: 'p', class: 'c', actors: ['target'], kind: 'k', field: 'f' },
  ...{ sentence: '', operations: [], revisions: [], at: 1, severity: 'error' as const },
};

describe("the run's own namespaces", () => {
  it('are those of the sample, of what the project ships, of its namespaces and of writers', () => {
    const counterexample = counterexampleOf(VIOLATION.signature, '', EMPTY_SCHEDULE);
    const target = { group: '', version: 'v1', resource: 'secrets', namespace: 'writers', name: 'a' };
    const own = ownSecretsOfCounterexample({
      ...counterexample,
      workload: {
        ...counterexample.workload,
        sample: [secret('sample', 'a')],
        programs: [{ actor: 'writer-1', writer: 'w', ops: [{ do: 'delete', target }] }],
      },
      project: {
        authorization: 'rbac',
        objects: [secret('shipped', 'a'), { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'made' } }],
      },
    });

    expect(['default', 'sample', 'writers', 'shipped', 'made', 'production'].filter((one) => own(one, 'a'))).toEqual([
      'default',
      'sample',
      'writers',
      'shipped',
      'made',
    ]);
  });

  it('are, in a recording, those whose Secrets were asked for, by anybody but the control plane', () => {
    const asked = (actor: string, verb: string, namespace: string, name: string): Operation =>
      ({ actor, verb, resource: 'secrets', namespace, name }) as Operation;
    const own = ownSecretsOfRecording({
      operations: [
        asked('controller', 'list', '', ''),
        asked('controller', 'list', 'listed', ''),
        asked('user', 'get', 'named', 'a'),
        asked('user', 'create', 'made-in', ''),
        asked('kube-controller-manager', 'list', 'kube-system', ''),
      ],
    });

    expect(own('listed', 'any')).toBe(true);
    expect([own('named', 'a'), own('named', 'b'), own('made-in', 'b'), own('kube-system', 'a')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
