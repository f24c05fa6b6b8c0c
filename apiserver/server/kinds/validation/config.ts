/** Validates configuration, secrets, events and claims (k8s.io/kubernetes `pkg/apis/core/validation`). */
import type { KubeObject } from '../../../objects/object.ts';
import { jsonEqual } from '../../../objects/json.ts';
import { eventToStorage } from '../events.ts';
import { compareQuantities } from '../quantity.ts';
import { listOf, mapOf, type Problems, textOf, type Validator } from './problems.ts';

const KEY = /^[-._a-zA-Z0-9]+$/;
const KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

function validateKeys(object: KubeObject, field: 'data' | 'binaryData', found: Problems): void {
  for (const key of Object.keys(mapOf(object[field]))) {
    if (found.isFull) return;
    const at = `${field}[${key}]`;
    if (key.length > 253) found.invalid(at, key, 'must be no more than 253 bytes');
    if (!KEY.test(key)) found.invalid(at, key, KEY_TEXT);
    else if (key === '.' || key === '..') found.invalid(at, key, `must not be '${key}'`);
    else if (key.startsWith('..')) found.invalid(at, key, "must not start with '..'");
    if (field === 'data' && mapOf(object['binaryData'])[key] !== undefined)
      found.invalid(at, key, 'duplicate of key present in binaryData');
  }
}

const FROZEN = 'field is immutable when `immutable` is set';

/** Validates an update of data that may be immutable: `immutable: true` freezes the data, and cannot be unset. */
function frozen(object: KubeObject, old: KubeObject | undefined, found: Problems): void {
  if (old?.['immutable'] !== true) return;
  if (object['immutable'] !== true) found.forbidden('immutable', FROZEN);
  for (const field of ['data', 'binaryData']) if (!jsonEqual(object[field], old[field])) found.forbidden(field, FROZEN);
}

const validateConfigMap: Validator = (object, old, found) => {
  frozen(object, old, found);
  validateKeys(object, 'data', found);
  validateKeys(object, 'binaryData', found);
};

const ACCOUNT = 'kubernetes.io/service-account.name';

/** Required keys of secrets by type. */
const KEYS: { readonly [type: string]: readonly string[] } = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

const validateSecret: Validator = (object, old, found) => {
  const type = textOf(object['type']);
  if (old !== undefined && type !== old['type']) found.invalid('type', type, 'field is immutable');
  frozen(object, old, found);
  const data = mapOf(object['data']);
  validateKeys(object, 'data', found);
  for (const key of KEYS[type] ?? []) if (data[key] === undefined) found.required(`data[${key}]`);
  if (type === 'kubernetes.io/service-account-token' && (object.metadata.annotations?.[ACCOUNT] ?? '') === '')
    found.required(`metadata.annotations[${ACCOUNT}]`);
  if (type === 'kubernetes.io/basic-auth' && data['username'] === undefined && data['password'] === undefined) {
    found.required('data[username]');
    found.required('data[password]');
  }
};

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

const validateClaim: Validator = (claim, old, found) => {
  if (old !== undefined && claim['spec'] === old['spec']) return;
  const spec = mapOf(claim['spec']);
  const modes = listOf(spec['accessModes']);
  if (modes.length === 0) found.required('spec.accessModes', 'at least 1 access mode is required');
  found.labelSelector('spec.selector', spec['selector']);
  for (const mode of modes) found.oneOfIfAny('spec.accessModes', mode, MODES);
  if (modes.includes('ReadWriteOncePod') && modes.length > 1)
    found.forbidden('spec.accessModes', 'may not use ReadWriteOncePod with other access modes');
  const storage = mapOf(mapOf(spec['resources'])['requests'])['storage'];
  if (storage === undefined) found.required('spec.resources[storage]');
  else if (compareQuantities(storage, '0') <= 0)
    found.invalid('spec.resources[storage]', storage, 'must be greater than zero');
  const storageClass = textOf(spec['storageClassName']);
  if (storageClass !== '') found.dnsSubdomain('spec.storageClassName', storageClass);
  found.oneOfIfAny('spec.volumeMode', spec['volumeMode'], ['Block', 'Filesystem']);
  if (old !== undefined) changedClaim(claim, old, found);
};

/** Validates an updated claim: a bound one may request more storage, an unbound one may only set the volume name. */
function changedClaim(claim: KubeObject, old: KubeObject, found: Problems): void {
  const spec = mapOf(claim['spec']);
  const before = mapOf(old['spec']);
  const bound = mapOf(claim['status'])['phase'] === 'Bound';
  const compared = {
    ...spec,
    ...(textOf(before['volumeName']) === '' ? { volumeName: undefined } : {}),
    ...(bound
      ? { resources: before['resources'], volumeAttributesClassName: before['volumeAttributesClassName'] }
      : {}),
  };
  const kept = textOf(before['volumeName']) === '' ? { ...before, volumeName: undefined } : before;
  if (!jsonEqual(JSON.parse(JSON.stringify(compared)), JSON.parse(JSON.stringify(kept))))
    found.forbidden(
      'spec',
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    );
  const [size, sizeBefore] = [spec, before].map((one) => mapOf(mapOf(one['resources'])['requests'])['storage'] ?? '0');
  const capacity = mapOf(mapOf(old['status'])['capacity'])['storage'] ?? '0';
  if (size === undefined || sizeBefore === undefined || compareQuantities(size, sizeBefore) >= 0) return;
  if (compareQuantities(size, capacity) <= 0)
    found.forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity');
}

const LIMITS: readonly (readonly [field: string, max: number])[] = [
  ['reportingInstance', 128],
  ['action', 128],
  ['reason', 128],
];

/**
 * The immutable fields of an events.k8s.io event: only its series may change. They have the names of the core form, with Go's field names.
 */
const LASTING = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingInstance',
];

function unchangedEvent(event: KubeObject, old: KubeObject, found: Problems): void {
  for (const field of LASTING)
    if (!jsonEqual(event[field], old[field])) found.invalid(field, event[field], 'field is immutable');
  if (event['reportingComponent'] !== old['reportingComponent'])
    found.invalid('reportingController', event['reportingComponent'], 'field is immutable');
}

/** Validates events in core form. Events of events.k8s.io have an eventTime; old events do not. */
const validateEvent: Validator = (given, old, found) => {
  const fresh = given.apiVersion !== 'v1';
  const event = fresh ? eventToStorage(given) : given;
  const strict = fresh && old === undefined;
  const { namespace = '' } = event.metadata;
  const about = textOf(mapOf(event['involvedObject'])['namespace']);
  const timed = textOf(event['eventTime']) !== '';
  const homeless = timed ? ['default', 'kube-system'] : ['', 'default'];
  const matches = about === '' ? homeless.includes(namespace) : timed || about === namespace;
  if (!matches) found.invalid('involvedObject.namespace', about, 'does not match event.namespace');
  if (strict && !timed) found.required('eventTime');
  if (strict && event['type'] !== 'Normal' && event['type'] !== 'Warning')
    found.invalid('type', '', `has invalid value: ${textOf(event['type'])}`);
  if (fresh && old !== undefined) unchangedEvent(event, eventToStorage(old), found);
  if (!timed) return;
  const controller = textOf(event['reportingComponent']);
  const at = fresh ? 'reportingController' : 'reportingComponent';
  if (controller === '') found.required(at);
  found.qualifiedName(at, controller);
  for (const [field, max] of LIMITS) {
    const text = textOf(event[field]);
    if (text === '') found.required(field);
    if (text.length > max) found.invalid(field, '', `can have at most ${max} characters`);
  }
  if (textOf(event['message']).length > 1024) found.invalid('message', '', 'can have at most 1024 characters');
};

/** Validators by resource. */
export const CONFIG_RULES: { readonly [gr: string]: Validator } = {
  configmaps: validateConfigMap,
  secrets: validateSecret,
  persistentvolumeclaims: validateClaim,
  events: validateEvent,
};
