/** Validates namespaces, nodes, quotas, limit ranges and priority levels (k8s.io/kubernetes `pkg/apis/core/validation`). */
import { jsonEqual } from '../../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../../objects/object.ts';
import { qualifiedNameErrors } from '../../names.ts';
import { compareQuantities } from '../quantity.ts';
import { listOf, mapOf, mapsOf, type Problems, shown, textOf, type Validator } from './problems.ts';

const namespace: Validator = (object, old, found) => {
  if (old === undefined) {
    for (const finalizer of listOf(mapOf(object['spec'])['finalizers'])) validateFinalizer(textOf(finalizer), found);
    return;
  }
  const { phase } = mapOf(object['status']);
  if (jsonEqual(object['status'], old['status'])) return;
  const lives = object.metadata.deletionTimestamp === undefined;
  const wanted = lives ? 'Active' : 'Terminating';
  if (phase !== wanted)
    found.invalid(
      'status.Phase',
      phase ?? '',
      `may only be '${wanted}' if \`deletionTimestamp\` is ${lives ? '' : 'not '}empty`,
    );
};

function validateFinalizer(name: string, found: Problems): void {
  found.qualifiedName('spec.finalizers', name);
  if (!name.includes('/') && !['kubernetes', 'orphan', 'foregroundDeletion'].includes(name))
    found.invalid('spec.finalizers', name, 'name is neither a standard finalizer name nor is it fully qualified');
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const node: Validator = (object, old, found) => {
  const spec = mapOf(object['spec']);
  // A real server validates taints together with metadata.
  validateTaints(mapsOf(spec['taints']), 'metadata.taints', found);
  if (old === undefined) return;
  const before = mapOf(old['spec']);
  const blocks = listOf(before['podCIDRs']);
  if (blocks.length > 0 && !jsonEqual(blocks, spec['podCIDRs'] ?? []))
    found.forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid');
  const provider = textOf(before['providerID']);
  if (provider !== '' && spec['providerID'] !== provider)
    found.forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid');
};

function validateTaints(taints: readonly JsonObject[], path: string, found: Problems): void {
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    const at = `${path}[${index}]`;
    const key = textOf(taint['key']);
    const effect = textOf(taint['effect']);
    found.qualifiedName(`${at}.key`, key);
    for (const text of labelValue(textOf(taint['value']))) found.invalid(`${at}.value`, textOf(taint['value']), text);
    if (effect === '') found.required(`${at}.effect`);
    else found.oneOfIfAny(`${at}.effect`, effect, EFFECTS);
    const id = `${effect} ${key}`;
    if (seen.has(id))
      found.duplicate(at, { key, ...(taint['value'] === undefined ? {} : { value: taint['value'] }), effect });
    seen.add(id);
  }
}

/** Returns errors in the value of a taint, which a real server validates as if it were a label key. */
function labelValue(value: string): readonly string[] {
  return value === '' ? [] : qualifiedNameErrors(value);
}

const COUNTED = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const MEASURED = ['cpu', 'memory', 'ephemeral-storage'];
const QUOTA_RESOURCES = new Set([
  ...COUNTED,
  ...MEASURED,
  ...MEASURED.flatMap((one) => [`requests.${one}`, `limits.${one}`]),
  'requests.storage',
]);
const STANDARD_RESOURCES = new Set([...QUOTA_RESOURCES, 'storage']);

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-') || name.startsWith('requests.hugepages-');
}

function validateResourceName(name: string, path: string, found: Problems): void {
  const errors = qualifiedNameErrors(name);
  for (const text of errors) found.invalid(path, name, text);
  if (errors.length === 0 && !name.includes('/') && !STANDARD_RESOURCES.has(name) && !isHugePages(name))
    found.invalid(path, name, 'must be a standard resource type or fully qualified');
}

function validateQuotas(quotas: JsonObject, path: string, found: Problems): void {
  for (const [name, value] of Object.entries(quotas)) {
    const at = `${path}[${name}]`;
    validateResourceName(name, at, found);
    if (!name.includes('/') && !QUOTA_RESOURCES.has(name) && !isHugePages(name))
      found.invalid(at, name, 'must be a standard resource for quota');
    if (value === undefined) continue;
    if (compareQuantities(value, '0') < 0) found.invalid(at, shown(value), 'must be greater than or equal to 0');
    if (COUNTED.includes(name) && shown(value).endsWith('m')) found.invalid(at, shown(value), 'must be an integer');
  }
}

const SCOPES = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
];

const quota: Validator = (object, old, found) => {
  const spec = mapOf(object['spec']);
  validateQuotas(mapOf(spec['hard']), 'spec.hard', found);
  const scopes = listOf(spec['scopes']);
  for (const scope of scopes)
    if (!SCOPES.includes(textOf(scope))) found.invalid('spec.scopes', scopes, 'unsupported scope');
  for (const word of ['BestEffort', 'Terminating'])
    if (scopes.includes(word) && scopes.includes(`Not${word}`))
      found.invalid('spec.scopes', scopes, 'conflicting scopes');
  if (old === undefined) return;
  const before = listOf(mapOf(old['spec'])['scopes']);
  if (before.some((one) => !scopes.includes(one)) || scopes.some((one) => !before.includes(one)))
    found.invalid('spec.scopes', scopes, 'field is immutable');
  if (object['status'] === old['status']) return;
  const status = mapOf(object['status']);
  for (const field of ['hard', 'used']) validateQuotas(mapOf(status[field]), `status.${field}`, found);
};

const LIMIT_TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];
const LIMITS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

const limitRange: Validator = (object, _, found) => {
  const seen = new Set<string>();
  for (const [index, limit] of mapsOf(mapOf(object['spec'])['limits']).entries()) {
    const at = `spec.limits[${index}]`;
    const type = textOf(limit['type']);
    const wrong = qualifiedNameErrors(type);
    for (const text of wrong) found.invalid(`${at}.type`, type, text);
    if (wrong.length === 0 && !type.includes('/') && !LIMIT_TYPES.includes(type))
      found.invalid(`${at}.type`, type, 'must be a standard limit type or fully qualified');
    if (seen.has(type)) found.duplicate(`${at}.type`, type);
    seen.add(type);
    for (const field of LIMITS)
      for (const name of Object.keys(mapOf(limit[field]))) validateResourceName(name, `${at}.${field}[${name}]`, found);
    if (type === 'Pod')
      for (const field of ['default', 'defaultRequest'])
        if (Object.keys(mapOf(limit[field])).length > 0)
          found.forbidden(`${at}.${field}`, "may not be specified when `type` is 'Pod'");
    if (
      type === 'PersistentVolumeClaim' &&
      mapOf(limit['min'])['storage'] === undefined &&
      mapOf(limit['max'])['storage'] === undefined
    )
      found.required(`${at}.limits`, 'either minimum or maximum storage value is required, but neither was provided');
    validateOrder(limit, at, found);
  }
};

/** Validates that min, default request, default and max are in ascending order. */
function validateOrder(limit: JsonObject, path: string, found: Problems): void {
  const names = new Set(LIMITS.flatMap((field) => Object.keys(mapOf(limit[field]))));
  for (const name of names) {
    const [max, min, usual, request, ratio] = LIMITS.map((field) => mapOf(limit[field])[name]);
    const above = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
      a !== undefined && b !== undefined && compareQuantities(a, b) > 0;
    const report = (field: string, value: JsonValue | undefined, text: string): void =>
      found.invalid(`${path}.${field}[${name}]`, value, text);
    if (above(min, max)) report('min', min, `min value ${shown(min)} is greater than max value ${shown(max)}`);
    if (above(min, request))
      report(
        'defaultRequest',
        request,
        `min value ${shown(min)} is greater than default request value ${shown(request)}`,
      );
    if (above(request, max))
      report(
        'defaultRequest',
        request,
        `default request value ${shown(request)} is greater than max value ${shown(max)}`,
      );
    if (above(request, usual))
      report(
        'defaultRequest',
        request,
        `default request value ${shown(request)} is greater than default limit value ${shown(usual)}`,
      );
    if (above(min, usual))
      report('default', min, `min value ${shown(min)} is greater than default value ${shown(usual)}`);
    if (above(usual, max))
      report('default', max, `default value ${shown(usual)} is greater than max value ${shown(max)}`);
    if (above('1', ratio)) report('maxLimitRequestRatio', ratio, `ratio ${shown(ratio)} is less than 1`);
  }
}

const priorityLevel: Validator = (object, old, found) => {
  if (old !== undefined && object['spec'] === old['spec']) return;
  const spec = mapOf(object['spec']);
  const { type, limited, exempt } = spec;
  if ((object.metadata.name === 'exempt') !== (type === 'Exempt'))
    found.invalid('spec.type', type ?? '', "must be 'Exempt' if and only if `name` is 'exempt'");
  if (type === 'Exempt') {
    if (limited !== undefined) found.forbidden('spec.limited', 'must be nil if the type is not Limited');
  } else if (type === 'Limited') {
    if (exempt !== undefined) found.forbidden('spec.exempt', 'must be nil if the type is Limited');
    if (limited === undefined) found.required('spec.limited', 'must not be empty when type is Limited');
    else validateLimited(mapOf(limited), found);
  } else found.oneOf('spec.type', type, ['Exempt', 'Limited']);
};

function validateLimited(limited: JsonObject, found: Problems): void {
  const at = 'spec.limited';
  const { nominalConcurrencyShares, lendablePercent, borrowingLimitPercent } = limited;
  if (Number(nominalConcurrencyShares) < 0)
    found.invalid(`${at}.nominalConcurrencyShares`, nominalConcurrencyShares, 'must be a non-negative integer');
  const { type, queuing } = mapOf(limited['limitResponse']);
  if (type === 'Reject') {
    if (queuing !== undefined)
      found.forbidden(`${at}.limitResponse.queuing`, 'must be nil if limited.limitResponse.type is not Limited');
  } else if (type === 'Queue') {
    if (queuing === undefined)
      found.required(`${at}.limitResponse.queuing`, 'must not be empty if limited.limitResponse.type is Limited');
  } else found.oneOf(`${at}.limitResponse.type`, type, ['Queue', 'Reject']);
  found.inRange(`${at}.lendablePercent`, lendablePercent, 0, 100);
  if (Number(borrowingLimitPercent) < 0)
    found.invalid(`${at}.borrowingLimitPercent`, borrowingLimitPercent, 'if specified, must be a non-negative integer');
}

/** Validators by resource. */
export const CLUSTER_RULES: { readonly [gr: string]: Validator } = {
  limitranges: limitRange,
  namespaces: namespace,
  nodes: node,
  resourcequotas: quota,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevel,
};
