/** Validates autoscalers, disruption budgets, leases, roles and bindings, classes, volumes, revisions. */
import { ADMISSION_POLICY_RULES } from './admission-policies.ts';
import { jsonEqual, isMap } from '../../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../../objects/object.ts';
import { nameErrors } from '../../names.ts';
import { fieldNotSupported } from '../../refusal.ts';
import { listOf, mapOf, mapsOf, type Problems, shown, textOf, type Validator } from './problems.ts';
import { atMostAll, countOrPercent } from './workloads.ts';

const SOURCES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

const autoscaler: Validator = (object, _, found) => {
  const spec = mapOf(object['spec']);
  const { minReplicas, maxReplicas = 0 } = spec;
  if (typeof minReplicas === 'number' && minReplicas < 1)
    found.invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1');
  if (maxReplicas === 0) found.required('spec.maxReplicas', 'must be set and greater than 0');
  else if (Number(maxReplicas) < 0)
    found.invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1');
  if (typeof minReplicas === 'number' && Number(maxReplicas) < minReplicas)
    found.invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`');
  const target = mapOf(spec['scaleTargetRef']);
  for (const field of ['kind', 'name'] as const) {
    const text = textOf(target[field]);
    if (text === '') found.required(`spec.scaleTargetRef.${field}`);
    else
      for (const error of nameErrors('path-segment', text, false))
        found.invalid(`spec.scaleTargetRef.${field}`, text, error);
  }
  if (textOf(target['apiVersion']) === '')
    found.invalid('spec.scaleTargetRef.apiVersion', '', 'apiVersion must specify API group');
  for (const [index, { type = '' }] of mapsOf(spec['metrics']).entries()) {
    const at = `spec.metrics[${index}].type`;
    if (type === '') found.required(at, 'must specify a metric source type');
    // A real server reports this error twice.
    if (!SOURCES.includes(textOf(type))) for (const _ of [1, 2]) found.unsupported(at, type, SOURCES);
  }
};

const budget: Validator = (object, _, found) => {
  const spec = mapOf(object['spec']);
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    // A real server prints its internal type.
    const internal: JsonObject = {
      MinAvailable: minAvailable,
      Selector: selector ?? null,
      MaxUnavailable: maxUnavailable,
      UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
    };
    found.invalid('spec', internal, 'minAvailable and maxUnavailable cannot be both set');
  }
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    if (spec[field] === undefined) continue;
    countOrPercent(spec[field], `spec.${field}`, found);
    atMostAll(spec[field], `spec.${field}`, found);
  }
  found.labelSelector('spec.selector', selector);
  found.oneOfIfAny('spec.unhealthyPodEvictionPolicy', unhealthyPodEvictionPolicy, ['AlwaysAllow', 'IfHealthyBudget']);
  const types = mapsOf(mapOf(object['status'])['conditions']).map(({ type }) => type ?? '');
  for (const [index, type] of types.entries())
    if (types.indexOf(type) < index) found.duplicate(`status.conditions[${index}].type`, type);
};

const lease: Validator = (object, _, found) => {
  const { leaseDurationSeconds, leaseTransitions } = mapOf(object['spec']);
  if (leaseDurationSeconds !== undefined) found.positive('spec.leaseDurationSeconds', leaseDurationSeconds);
  found.nonNegative('spec.leaseTransitions', leaseTransitions);
};

function validateRules(namespaced: boolean): Validator {
  return (object, _, found) => {
    for (const [index, rule] of mapsOf(object['rules']).entries()) {
      const at = `rules[${index}]`;
      const urls = listOf(rule['nonResourceURLs']);
      if (listOf(rule['verbs']).length === 0) found.required(`${at}.verbs`, 'verbs must contain at least one value');
      const groups = listOf(rule['apiGroups']);
      const resources = listOf(rule['resources']);
      if (urls.length > 0) {
        if (namespaced)
          found.invalid(`${at}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs');
        if (groups.length + resources.length + listOf(rule['resourceNames']).length > 0)
          found.invalid(
            `${at}.nonResourceURLs`,
            urls,
            'rules cannot apply to both regular resources and non-resource URLs',
          );
        continue;
      }
      if (groups.length === 0) found.required(`${at}.apiGroups`, 'resource rules must supply at least one api group');
      if (resources.length === 0) found.required(`${at}.resources`, 'resource rules must supply at least one resource');
    }
    if (namespaced || object['aggregationRule'] === undefined) return;
    const at = 'aggregationRule.clusterRoleSelectors';
    const selectors = listOf(mapOf(object['aggregationRule'])['clusterRoleSelectors']);
    if (selectors.length === 0)
      found.required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil');
    for (const [index, selector] of selectors.entries()) found.labelSelector(`${at}[${index}]`, selector);
  };
}

const RBAC = 'rbac.authorization.k8s.io';

function validateBinding(namespaced: boolean): Validator {
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return (object, old, found) => {
    const reference = mapOf(object['roleRef']);
    if (reference['apiGroup'] !== RBAC) found.unsupported('roleRef.apiGroup', reference['apiGroup'], [RBAC]);
    if (!kinds.includes(textOf(reference['kind']))) found.unsupported('roleRef.kind', reference['kind'], kinds);
    if (textOf(reference['name']) === '') found.required('roleRef.name');
    for (const [index, subject] of mapsOf(object['subjects']).entries())
      validateSubject(subject, `subjects[${index}]`, namespaced, found);
    if (old !== undefined && !jsonEqual(object['roleRef'], old['roleRef']))
      found.invalid('roleRef', internalReference(reference), 'cannot change roleRef');
  };
}

/** Returns a reference printed as the real server's internal type. */
function internalReference({ apiGroup = '', kind = '', name = '' }: JsonObject): JsonValue {
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}

function validateSubject(subject: JsonObject, path: string, namespaced: boolean, found: Problems): void {
  const name = textOf(subject['name']);
  const group = textOf(subject['apiGroup']);
  if (name === '') found.required(`${path}.name`);
  switch (subject['kind']) {
    case 'ServiceAccount':
      if (name !== '') found.dnsSubdomain(`${path}.name`, name);
      if (group !== '') found.unsupported(`${path}.apiGroup`, group, ['']);
      if (!namespaced && textOf(subject['namespace']) === '') found.required(`${path}.namespace`);
      break;
    case 'User':
    case 'Group':
      if (group !== RBAC) found.unsupported(`${path}.apiGroup`, group, [RBAC]);
      break;
    default:
      found.unsupported(`${path}.kind`, subject['kind'], ['ServiceAccount', 'User', 'Group']);
  }
}

const HIGHEST_PRIORITY = 1_000_000_000;

const priorityClass: Validator = (object, old, found) => {
  const { name = '' } = object.metadata;
  if (old !== undefined) {
    if (object['value'] !== old['value']) found.forbidden('value', 'may not be changed in an update.');
    if (object['preemptionPolicy'] !== old['preemptionPolicy'])
      found.invalid('preemptionPolicy', object['preemptionPolicy'], 'field is immutable');
    return;
  }
  if (name.startsWith('system-'))
    found.forbidden(
      'metadata.name',
      `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
    );
  else if (Number(object['value']) > HIGHEST_PRIORITY)
    found.forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`);
  found.oneOfIfAny('preemptionPolicy', object['preemptionPolicy'], ['PreemptLowerPriority', 'Never']);
};

const storageClass: Validator = (object, old, found) => {
  if (old !== undefined) {
    for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'])
      if (!jsonEqual(object[field], old[field])) found.invalid(field, object[field], 'field is immutable');
    return;
  }
  const provisioner = textOf(object['provisioner']);
  if (provisioner === '') found.required('provisioner');
  else found.qualifiedName('provisioner', provisioner.toLowerCase());
  found.oneOfIfAny('reclaimPolicy', object['reclaimPolicy'], ['Delete', 'Retain']);
  found.oneOf('volumeBindingMode', object['volumeBindingMode'], ['Immediate', 'WaitForFirstConsumer']);
};

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
/** Fields of a volume's spec that are not a source. */
const NO_SOURCE = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]);

const volume: Validator = (object, old, found) => {
  const spec = mapOf(object['spec']);
  const sources = Object.keys(spec).filter((key) => !NO_SOURCE.has(key) && spec[key] !== undefined);
  validateVolume(spec, sources, found);
  if (old === undefined) return;
  // A real server validates an updated volume as a new one first, and then as an update.
  validateVolume(spec, sources, found);
  const before = mapOf(old['spec']);
  for (const source of new Set([...sources, ...Object.keys(before)]))
    if (!NO_SOURCE.has(source) && !jsonEqual(spec[source], before[source]))
      found.forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation');
  if (spec['volumeMode'] !== before['volumeMode'])
    found.invalid('volumeMode', spec['volumeMode'], 'field is immutable');
};

function validateVolume(spec: JsonObject, sources: readonly string[], found: Problems): void {
  const modes = listOf(spec['accessModes']);
  if (modes.length === 0) found.required('spec.accessModes');
  for (const mode of modes) found.oneOfIfAny('spec.accessModes', mode, MODES);
  const capacity = mapOf(spec['capacity']);
  if (Object.keys(capacity).length === 0) found.required('spec.capacity');
  if (capacity['storage'] === undefined || Object.keys(capacity).length > 1)
    found.list.push(fieldNotSupported('spec.capacity', spec['capacity'] ?? null, ['storage']));
  if (sources.length === 0) found.required('spec', 'must specify a volume type');
  for (const source of sources.slice(1)) found.forbidden(`spec.${source}`, 'may not specify more than 1 volume type');
}

const revision: Validator = (object, old, found) => {
  found.nonNegative('revision', object['revision']);
  const data = object['data'];
  if (old !== undefined) {
    if (!jsonEqual(data, old['data'])) found.invalid('data', data, 'field is immutable');
  } else if (data === undefined || data === null) found.required('data', 'data is mandatory');
  else if (!isMap(data)) found.required('data', 'data must be a valid JSON object');
};

/** Validates a signing request, which is base64-encoded PEM. */
const signingRequest: Validator = (object, old, found) => {
  if (old !== undefined) return;
  const spec = mapOf(object['spec']);
  const text = textOf(spec['request']);
  if (!decoded(text).includes('-----BEGIN CERTIFICATE REQUEST-----'))
    found.invalid('spec.request', text, 'PEM block type must be CERTIFICATE REQUEST');
  if (listOf(spec['usages']).length === 0) found.required('spec.usages');
  const signer = textOf(spec['signerName']);
  if (signer === '') found.required('spec.signerName');
  else if (!signer.includes('/'))
    found.invalid(
      'spec.signerName',
      signer,
      'must be a fully qualified domain and path of the form "example.com/signer-name"',
    );
};

function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}

const endpointHook: Validator = (object, _, found) => {
  const names = new Set<string>();
  for (const [index, hook] of mapsOf(object['webhooks']).entries()) {
    const at = `webhooks[${index}]`;
    const name = textOf(hook['name']);
    if (names.has(name)) found.duplicate(`${at}.name`, name);
    names.add(name);
    if (name === '') found.required(`${at}.name`);
    else if (name.split('.').length < 3)
      found.invalid(`${at}.name`, name, 'should be a domain with at least three segments separated by dots');
    else found.dnsSubdomain(`${at}.name`, name);
    const versions = listOf(hook['admissionReviewVersions']);
    if (versions.length === 0) found.required(`${at}.admissionReviewVersions`, 'must specify one of v1, v1beta1');
    else if (!versions.some((version) => version === 'v1' || version === 'v1beta1'))
      found.invalid(`${at}.admissionReviewVersions`, versions, 'must include at least one of v1, v1beta1');
    found.oneOfIfAny(`${at}.failurePolicy`, hook['failurePolicy'], ['Fail', 'Ignore']);
    found.oneOfIfAny(`${at}.matchPolicy`, hook['matchPolicy'], ['Equivalent', 'Exact']);
    if (textOf(hook['sideEffects']) === '')
      found.required(`${at}.sideEffects`, 'must specify one of None, NoneOnDryRun');
    else found.oneOfIfAny(`${at}.sideEffects`, hook['sideEffects'], ['None', 'NoneOnDryRun']);
    const timeout = hook['timeoutSeconds'];
    if (typeof timeout === 'number' && (timeout > 30 || timeout < 1))
      found.invalid(`${at}.timeoutSeconds`, timeout, 'the timeout value must be between 1 and 30 seconds');
    const { url, service } = mapOf(hook['clientConfig']);
    if ((url === undefined) === (service === undefined))
      found.required(`${at}.clientConfig`, 'exactly one of url or service is required');
    else if (url !== undefined && !/^https:\/\/[^/]/.test(shown(url)))
      found.invalid(
        `${at}.clientConfig.url`,
        url,
        "'https' is the only allowed URL scheme; desired format: https://host[/path]",
      );
  }
};

/** Validators by resource. */
export const POLICY_RULES: { readonly [gr: string]: Validator } = {
  'certificatesigningrequests.certificates.k8s.io': signingRequest,
  'clusterrolebindings.rbac.authorization.k8s.io': validateBinding(false),
  'clusterroles.rbac.authorization.k8s.io': validateRules(false),
  'controllerrevisions.apps': revision,
  'horizontalpodautoscalers.autoscaling': autoscaler,
  'leases.coordination.k8s.io': lease,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': endpointHook,
  persistentvolumes: volume,
  'poddisruptionbudgets.policy': budget,
  'priorityclasses.scheduling.k8s.io': priorityClass,
  'rolebindings.rbac.authorization.k8s.io': validateBinding(true),
  'roles.rbac.authorization.k8s.io': validateRules(true),
  'storageclasses.storage.k8s.io': storageClass,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': endpointHook,
  ...ADMISSION_POLICY_RULES,
};
