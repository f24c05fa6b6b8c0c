/**
 * Removes Secrets of other users, which a target or an observer can see on a shared cluster: no record contains them, not even
 * their names.
 *
 * Owns: which Secrets belong to the run, and a history without the others. Secrets that the target itself received are kept.
 * Pure.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../../model/actor.ts';
import type { Counterexample } from '../../model/counterexample.ts';
import { isWrite, type History, type Operation, type Outcome } from '../../model/history.ts';
import type { ExpectedState, ProbeResult } from '../../model/probe.ts';
import { given } from '../../model/given.ts';

const SECRETS = 'secrets';
/** Prefix of the Secrets that stalemate makes for a target's mounts in a kind cluster (`clusters/kind/pods.ts`). */
const OWN_MOUNTS = 'stalemate-target-';

/** Reports whether a Secret belongs to the run, by namespace and name. */
export type IsOwn = (namespace: string, name: string) => boolean;

/** Where a run's objects come from, as far as that is known before the run. */
export type RunPlaces = Pick<Counterexample, 'namespace'> & {
  readonly samples: readonly KubeObject[];
  readonly project?: Counterexample['project'] | null;
};

/** Matches Secrets in the namespaces of a run, including those created during the run. */
export function ownSecretsOf({ namespace, samples, project }: RunPlaces): IsOwn {
  const objects = [...samples, ...(project?.objects ?? [])];
  const namespaces = new Set([
    namespace,
    ...objects.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? metadata.name : metadata.namespace) ?? []),
  ]);
  return (of) => namespaces.has(of);
}

/** Matches the same Secrets for a counterexample, whose writers may use further namespaces. */
export function ownSecretsOfCounterexample({ namespace, workload, project }: Counterexample): IsOwn {
  const targets = workload.programs.flatMap(({ ops }) => ops.map(({ target }) => target.namespace));
  const isOwn = ownSecretsOf({ namespace, samples: workload.sample, project: project ?? null });
  return (of, name) => isOwn(of, name) || targets.includes(of);
}

/** Matches, for a recording, Secrets that were requested by name, and those of namespaces whose Secrets were requested. */
export function ownSecretsOfRecording({ operations }: Pick<History, 'operations'>): IsOwn {
  const asked = new Set<string>();
  for (const { resource, namespace, name, verb, actor } of operations)
    if (resource === SECRETS && namespace !== '' && roleOf(actor) !== 'environment')
      asked.add(name === '' && verb !== 'create' ? namespace : `${namespace}/${name}`);
  return (namespace, name) => asked.has(namespace) || asked.has(`${namespace}/${name}`);
}

/** Returns the history without Secrets of other users, or the same history if it contains none. */
export function withoutForeignSecrets(history: History, isOwn: IsOwn): History {
  const made = madeIn(history);
  const isForeign = ({ metadata: { namespace = '', name = '', uid = '' } }: KubeObject): boolean =>
    namespace !== '' &&
    !made.uids.has(uid) &&
    (name.startsWith(OWN_MOUNTS) || !(isOwn(namespace, name) || made.namespaces.has(namespace)));
  const uids = new Set<string>();
  const keeps = (object: KubeObject | undefined): boolean => {
    if (object === undefined || !isForeign(object)) return true;
    uids.add(object.metadata.uid ?? '');
    return false;
  };
  const keepsSecret = ({ resource, object }: { readonly resource: string; readonly object?: KubeObject }): boolean =>
    resource !== SECRETS || keeps(object);
  const operations = history.operations.map((operation) => withoutForeign(operation, keeps));
  const revisions = history.revisions.filter(keepsSecret);
  const deliveries = history.deliveries.filter(keepsSecret);
  const probes = history.probes.map((probe) =>
    withoutForeignOutcome(probe, (object) => isNoSecret(object) || keeps(object)),
  );
  if (uids.size === 0) return history;
  const names = Object.fromEntries(Object.entries(history.names).filter(([uid]) => !uids.has(uid)));
  return { ...history, operations, revisions, deliveries, probes, names };
}

/** Collects the Secrets and namespaces that an actor of the run has created or changed. */
function madeIn({ revisions, operations }: History): {
  readonly uids: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
} {
  const uids = new Set<string>();
  const namespaces = new Set<string>();
  for (const { resource, uid, name, type, op } of revisions) {
    const by = operations[op];
    if (by === undefined || !isWrite(by.verb)) continue;
    if (resource === SECRETS) uids.add(uid);
    if (resource === 'namespaces' && type === 'ADDED') namespaces.add(name);
  }
  return { uids, namespaces };
}

function withoutForeign(operation: Operation, keeps: (object: KubeObject | undefined) => boolean): Operation {
  const { resource, outcome } = operation;
  if (resource !== SECRETS || outcome.type !== 'ok') return operation;
  const { object, items, ...rest } = outcome;
  const kept = items?.filter((item) => keeps(inNamespace(item, operation)));
  const shown = object === undefined || keeps(inNamespace(object, operation)) ? object : undefined;
  if (shown === object && kept?.length === items?.length) return operation;
  const without: Outcome = {
    ...rest,
    ...given({ object: shown, items: kept }),
  };
  return { ...operation, outcome: without };
}

/** Adds the namespace and name of its request to an object that lacks them. */
function inNamespace(object: KubeObject, { namespace, name }: Operation): KubeObject {
  const { metadata } = object;
  if (metadata.namespace !== undefined || namespace === '') return object;
  return { ...object, metadata: { name, ...metadata, namespace } };
}

function isNoSecret({ kind, apiVersion }: KubeObject): boolean {
  return kind !== 'Secret' || apiVersion !== 'v1';
}

function withoutForeignOutcome(probe: ProbeResult, keeps: (object: KubeObject) => boolean): ProbeResult {
  const state = ({ objects }: ExpectedState): ExpectedState => ({
    objects: Object.fromEntries(Object.entries(objects).filter(([, object]) => keeps(object))),
  });
  switch (probe.probe) {
    case 'expected-state':
      return { ...probe, outcomes: probe.outcomes.map(state) };
    case 'other-copies':
      return {
        ...probe,
        outcomes: probe.outcomes.map(state),
        ...given({
          inOrder: probe.inOrder?.map(state),
          withoutReplacements: probe.withoutReplacements && state(probe.withoutReplacements),
        }),
      };
    case 'undisturbed':
    case 'step-by-step':
    case 'without-crashes':
      return { ...probe, final: probe.final.filter(keeps), expected: probe.expected.map(state) };
    case 'extended-settle':
    case 'left-alone':
      return { ...probe, final: probe.final.filter(keeps) };
    default:
      return probe;
  }
}
