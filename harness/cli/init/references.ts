/**
 * Finds the objects that an object refers to, wherever its schema keeps such references.
 *
 * A map with a kind and a name is a reference. A field whose name contains "secret" or "configmap" refers to an object of that kind if its
 * value is a name or a map with a name: `secretRef: {name: x}`, `secretName: x`, `configMapKeyRef: {name: x, key: k}`. Pure. Start at
 * {@link referencesIn}.
 */
import { isRecord } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';

export interface Reference {
  /** `Secret`, `ConfigMap`, or the kind in the reference. */
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** Keys of the data that the reference names. */
  readonly keys: readonly string[];
}

const KINDS = [
  ['Secret', /secret/i],
  ['ConfigMap', /config_?map/i],
] as const;
/** Usual keys of Secrets, for a reference that names no keys. */
const USUAL_KEYS: readonly string[] = ['username', 'password', 'token'];

export function referencesIn(object: KubeObject): readonly Reference[] {
  const found = new Map<string, Reference>();
  const note = (kind: string, name: string, namespace: string, key: unknown): void => {
    const id = `${kind}/${namespace}/${name}`;
    const keys = [...(found.get(id)?.keys ?? []), ...(typeof key === 'string' ? [key] : [])];
    found.set(id, { kind, name, namespace, keys: [...new Set(keys)] });
  };
  const home = object.metadata.namespace ?? '';
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(one);
    if (!isRecord(value)) return;
    const { kind: named, name, namespace } = value;
    // A map with metadata is an object itself.
    if (typeof named === 'string' && typeof name === 'string' && value['metadata'] === undefined)
      note(named, name, typeof namespace === 'string' ? namespace : home, value['key']);
    for (const [field, of] of Object.entries(value)) {
      const kind = KINDS.find(([, pattern]) => pattern.test(field))?.[0];
      if (kind !== undefined) for (const one of Array.isArray(of) ? of : [of]) read(kind, field, one);
      walk(of);
    }
  };
  const read = (kind: string, field: string, of: unknown): void => {
    if (typeof of === 'string' && of !== '' && /(?:name|ref)$/i.test(field)) note(kind, of, home, undefined);
    if (!isRecord(of) || typeof of['name'] !== 'string') return;
    note(kind, of['name'], typeof of['namespace'] === 'string' ? of['namespace'] : home, of['key']);
  };
  for (const [field, of] of Object.entries(object)) if (!['metadata', 'status'].includes(field)) walk(of);
  return [...found.values()];
}

/** Makes an object for a reference to a Secret or ConfigMap; undefined for other kinds, whose schemas are unknown here. */
export function drawReferenced({ kind, name, namespace, keys }: Reference): KubeObject | undefined {
  if (kind !== 'Secret' && kind !== 'ConfigMap') return undefined;
  const entries = Object.fromEntries((keys.length > 0 ? keys : USUAL_KEYS).map((key) => [key, 'example']));
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name, ...(namespace === '' ? {} : { namespace }) },
    ...(kind === 'Secret' ? { stringData: entries } : { data: entries }),
  };
}

/** Makes a Namespace or Node, which needs nothing but a name; undefined for other kinds. */
export function drawPlain(kind: string, name: string): KubeObject | undefined {
  if (kind === 'Namespace') return { apiVersion: 'v1', kind, metadata: { name } };
  return kind === 'Node' ? nodeNamed(name) : undefined;
}

/** Makes a node as a kubelet registers it: real nodes always have labels and annotations, so controllers rely on both. */
function nodeNamed(name: string): KubeObject {
  const capacity = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: {},
    status: {
      capacity,
      allocatable: capacity,
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
    },
  };
}
