/**
 * Hooks for behaviour of built-in kinds that the table cannot express: initial status, defaults, rules.
 *
 * Owns: the choice of hooks by resource. Defaults belong to Go types (`defaults/`).
 */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { specFinalizers } from '../definition.ts';
import { initialStatus } from '../crd/status.ts';
import { defaultedCrd, validateCrd } from '../crd/validate.ts';
import { startingWith, type Hooks } from './hooks.ts';
import { paired, withoutEmpty } from './fill.ts';
import { forbidPod } from './limit-ranger.ts';
import { admitPod, admittedPod, keptPodStatus, pendingPod, validatePod } from './pods.ts';
import { SERVICE } from './service.ts';
import { STORAGE } from './storage.ts';
import { WORKLOADS } from './workloads.ts';
import { CONFIG_RULES } from './validation/config.ts';
import { CLUSTER_RULES } from './validation/cluster.ts';
import { NETWORKING_RULES } from './validation/networking.ts';
import { POLICY_RULES } from './validation/policies.ts';
import { Problems, type Validator } from './validation/problems.ts';
import { SERVICE_RULES } from './validation/services.ts';
import { WORKLOAD_RULES } from './validation/workloads.ts';

function mapAt(object: KubeObject, key: string): JsonObject {
  const value = object[key];
  return isMap(value) ? value : {};
}

const namespace: Hooks = {
  onCreate: (object) => {
    const spec = mapAt(object, 'spec');
    const finalizers = specFinalizers(object);
    const kept = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'];
    return { ...object, spec: { ...spec, finalizers: kept }, status: { phase: 'Active' } };
  },
  normalise: (object) => {
    const { name = '', labels } = object.metadata;
    if (labels?.[NAME_LABEL] === name || name === '') return object;
    return { ...object, metadata: { ...object.metadata, labels: { ...labels, [NAME_LABEL]: name } } };
  },
};

const NAME_LABEL = 'kubernetes.io/metadata.name';

const DATA = ['data', 'binaryData'] as const;

const secret: Hooks = {
  normalise: (object) => {
    const { stringData, ...rest } = object;
    let secret = object;
    if (isMap(stringData)) {
      const data: { [key: string]: JsonValue | undefined } = { ...mapAt(object, 'data') };
      for (const key in stringData) {
        const text = stringData[key];
        if (typeof text === 'string') data[key] = base64(text);
      }
      secret = { ...rest, data };
    }
    const typed = secret['type'] === undefined ? { ...secret, type: 'Opaque' } : secret;
    return withoutEmpty(typed, DATA) as KubeObject;
  },
};

function base64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function pairedIps(pod: KubeObject): KubeObject {
  return paired(pod, 'status', 'podIP', 'podIPs', (ip) => ({ ip }));
}

/** Hooks for individual kinds. */
const OF_KINDS: { readonly [gr: string]: Hooks } = {
  ...STORAGE,
  ...WORKLOADS,
  namespaces: namespace,
  pods: {
    converted: pairedIps,
    admit: admitPod,
    forbid: forbidPod,
    normalise: admittedPod,
    onCreate: pendingPod,
    onStatus: (pod, old) => pairedIps(keptPodStatus(pod, old)),
    statusKeeps: 'ownerReferences',
  },
  services: SERVICE,
  resourcequotas: startingWith({}),
  'poddisruptionbudgets.policy': startingWith({
    currentHealthy: 0,
    desiredHealthy: 0,
    disruptionsAllowed: 0,
    expectedPods: 0,
  }),
  secrets: secret,
  configmaps: { normalise: (object) => withoutEmpty(object, DATA) as KubeObject },
  'customresourcedefinitions.apiextensions.k8s.io': {
    normalise: defaultedCrd,
    onCreate: initialStatus,
    validate: validateCrd,
  },
};

const RULES: { readonly [gr: string]: Validator } = {
  ...CLUSTER_RULES,
  ...CONFIG_RULES,
  ...NETWORKING_RULES,
  ...POLICY_RULES,
  ...SERVICE_RULES,
  ...WORKLOAD_RULES,
  pods: validatePod,
};

function validating(validator: Validator): Hooks {
  return {
    validate: (object, old, subresource) => {
      const found = new Problems();
      validator(object, old, found, subresource);
      return found.list;
    },
  };
}

/** Hooks by resource, including validation rules; kinds without an entry need none. */
export const BEHAVIOUR: { readonly [gr: string]: Hooks } = {
  ...OF_KINDS,
  ...Object.fromEntries(
    Object.entries(RULES).map(([gr, validator]) => [gr, { ...OF_KINDS[gr], ...validating(validator) }]),
  ),
};
