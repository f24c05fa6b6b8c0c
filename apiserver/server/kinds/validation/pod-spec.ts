/** Validates specs of pods and templates: policies, volumes, scheduling. Containers are in `containers.ts`. */
import type { JsonObject } from '../../../objects/object.ts';
import { labelValueErrors } from '../../names.ts';
import { validateContainers } from './containers.ts';
import { validateNodeAffinity, validateWeight } from './node-affinity.ts';
import { mapOf, mapsOf, textOf, type Problems } from './problems.ts';

const INT32_MAX = 2 ** 31 - 1;

export function validatePodSpec(spec: JsonObject, path: string, found: Problems): void {
  const volumes = validateVolumes(mapsOf(spec['volumes']), `${path}.volumes`, found);
  validateContainers(spec, path, { volumes, hostUsers: spec['hostUsers'] !== false }, found);
  found.oneOf(`${path}.restartPolicy`, spec['restartPolicy'], ['Always', 'OnFailure', 'Never']);
  found.oneOf(`${path}.dnsPolicy`, spec['dnsPolicy'], ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']);
  found.labels(`${path}.nodeSelector`, mapOf(spec['nodeSelector']));
  for (const [index, secret] of mapsOf(spec['imagePullSecrets']).entries())
    if (textOf(secret['name']) === '') found.required(`${path}.imagePullSecrets[${index}].name`);
  validateAffinity(mapOf(spec['affinity']), `${path}.affinity`, found);
  if (spec['dnsPolicy'] === 'None' && mapsOf(mapOf(spec['dnsConfig'])['nameservers']).length === 0)
    found.required(
      `${path}.dnsConfig${spec['dnsConfig'] === undefined ? '' : '.nameservers'}`,
      spec['dnsConfig'] === undefined
        ? 'must provide `dnsConfig` when `dnsPolicy` is None'
        : 'must provide at least one DNS nameserver when `dnsPolicy` is None',
    );
  validateSpread(mapsOf(spec['topologySpreadConstraints']), `${path}.topologySpreadConstraints`, found);
  validateHostnameOverride(spec, `${path}.hostnameOverride`, found);
  const account = textOf(spec['serviceAccountName']);
  if (account !== '') found.dnsSubdomain(`${path}.serviceAccountName`, account);
  const node = textOf(spec['nodeName']);
  if (node !== '') found.dnsSubdomain(`${path}.nodeName`, node);
  found.inRange(`${path}.activeDeadlineSeconds`, spec['activeDeadlineSeconds'], 1, INT32_MAX);
  for (const field of ['hostname', 'subdomain'] as const)
    if (textOf(spec[field]) !== '') found.dnsLabel(`${path}.${field}`, textOf(spec[field]));
  validateTolerations(mapsOf(spec['tolerations']), `${path}.tolerations`, found);
  const priority = textOf(spec['priorityClassName']);
  if (priority !== '') found.dnsSubdomain(`${path}.priorityClassName`, priority);
  if (spec['runtimeClassName'] !== undefined)
    found.dnsSubdomain(`${path}.runtimeClassName`, textOf(spec['runtimeClassName']));
  found.oneOfIfAny(`${path}.preemptionPolicy`, spec['preemptionPolicy'], ['PreemptLowerPriority', 'Never']);
}

const HOSTNAME_OVERRIDE_MAX = 64;

function validateHostnameOverride(spec: JsonObject, path: string, found: Problems): void {
  const wanted = spec['hostnameOverride'];
  if (wanted === undefined) return;
  for (const field of ['setHostnameAsFQDN', 'hostNetwork'] as const)
    if (spec[field] === true) found.forbidden(path, `may not be specified when ${field} is true`);
  found.noLonger(path, textOf(wanted), HOSTNAME_OVERRIDE_MAX);
  found.dnsSubdomain(path, textOf(wanted));
}

const MODE_MAX = 0o777;
const MODE_TEXT = 'must be a number between 0 and 0777 (octal), both inclusive';

/** Validates volumes and returns the names of the valid ones, which mounts may refer to. */
function validateVolumes(volumes: readonly JsonObject[], path: string, found: Problems): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [index, volume] of volumes.entries()) {
    const at = `${path}[${index}]`;
    const before = found.list.length;
    const name = textOf(volume['name']);
    const sources = Object.keys(volume).filter((key) => key !== 'name' && volume[key] !== undefined);
    for (const source of sources.slice(1))
      found.forbidden(`${at}.${source}`, 'may not specify more than 1 volume type');
    const [source] = sources;
    if (source === undefined) found.required(at, 'must specify a volume type');
    else validateVolumeSource(source, mapOf(volume[source]), `${at}.${source}`, found);
    if (name === '') found.required(`${at}.name`);
    else found.dnsLabel(`${at}.name`, name);
    if (names.has(name)) found.duplicate(`${at}.name`, name);
    if (found.list.length === before) names.add(name);
  }
  return names;
}

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function validateVolumeSource(kind: string, source: JsonObject, path: string, found: Problems): void {
  const required = REQUIRED_OF_SOURCE[kind] ?? [];
  for (const field of required) if (textOf(source[field]) === '') found.required(`${path}.${field}`);
  const mode = source['defaultMode'];
  if (typeof mode === 'number' && (mode < 0 || mode > MODE_MAX)) found.invalid(`${path}.defaultMode`, mode, MODE_TEXT);
  if (kind === 'hostPath') {
    if (textOf(source['path']).split('/').includes('..'))
      found.invalid(`${path}.path`, source['path'], "must not contain '..'");
    found.oneOfIfAny(`${path}.type`, source['type'], HOST_PATH_TYPES);
  }
  for (const [index, item] of mapsOf(source['items']).entries()) {
    const at = `${path}.items[${index}]`;
    if (kind !== 'downwardAPI' && textOf(item['key']) === '') found.required(`${at}.key`);
    const place = textOf(item['path']);
    if (place === '') found.required(`${at}.path`);
    if (place.startsWith('/')) found.invalid(`${at}.path`, place, 'must be a relative path');
    if (place.split('/').includes('..')) found.invalid(`${at}.path`, place, "must not contain '..'");
  }
}

const REQUIRED_OF_SOURCE: { readonly [kind: string]: readonly string[] } = {
  configMap: ['name'],
  secret: ['secretName'],
  persistentVolumeClaim: ['claimName'],
  hostPath: ['path'],
  nfs: ['server', 'path'],
  csi: ['driver'],
};

function validateTolerations(tolerations: readonly JsonObject[], path: string, found: Problems): void {
  for (const [index, toleration] of tolerations.entries()) {
    const at = `${path}[${index}]`;
    const key = textOf(toleration['key']);
    const operator = textOf(toleration['operator']);
    const value = textOf(toleration['value']);
    const effect = textOf(toleration['effect']);
    if (key !== '') found.qualifiedName(`${at}.key`, key);
    else if (operator !== 'Exists')
      found.invalid(
        `${at}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      );
    if (toleration['tolerationSeconds'] !== undefined && effect !== 'NoExecute')
      found.invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    if (operator === '' || operator === 'Equal') {
      const errors = labelValueErrors(value);
      if (errors.length > 0) found.invalid(`${at}.operator`, value, errors.join(';'));
    } else if (operator === 'Exists') {
      if (value !== '') found.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'");
    } else found.unsupported(`${at}.operator`, operator, ['Equal', 'Exists']);
    if (effect !== '') found.oneOfIfAny(`${at}.effect`, effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
  }
}

function validateSpread(constraints: readonly JsonObject[], path: string, found: Problems): void {
  for (const [index, constraint] of constraints.entries()) {
    const at = `${path}[${index}]`;
    const { topologyKey, whenUnsatisfiable } = constraint;
    found.positive(`${at}.maxSkew`, constraint['maxSkew']);
    if (textOf(topologyKey) === '') found.required(`${at}.topologyKey`, 'can not be empty');
    if (whenUnsatisfiable !== 'DoNotSchedule' && whenUnsatisfiable !== 'ScheduleAnyway')
      found.unsupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway']);
    const again = constraints
      .slice(index + 1)
      .some((other) => other['topologyKey'] === topologyKey && other['whenUnsatisfiable'] === whenUnsatisfiable);
    if (again)
      found.duplicate(
        `${at}.{topologyKey, whenUnsatisfiable}`,
        `{${textOf(topologyKey)}, ${textOf(whenUnsatisfiable)}}`,
      );
    found.labelSelector(`${at}.labelSelector`, constraint['labelSelector']);
  }
}

function validateAffinity(affinity: JsonObject, path: string, found: Problems): void {
  if ((affinity['nodeAffinity'] ?? undefined) !== undefined)
    validateNodeAffinity(mapOf(affinity['nodeAffinity']), `${path}.nodeAffinity`, found);
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const terms = mapOf(affinity[kind]);
    for (const [index, term] of mapsOf(terms['requiredDuringSchedulingIgnoredDuringExecution']).entries())
      validateTerm(term, `${path}.${kind}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`, found);
    for (const [index, weighted] of mapsOf(terms['preferredDuringSchedulingIgnoredDuringExecution']).entries()) {
      const at = `${path}.${kind}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
      validateWeight(weighted, at, found);
      validateTerm(mapOf(weighted['podAffinityTerm']), `${at}.podAffinityTerm`, found);
    }
  }
}

function validateTerm(term: JsonObject, path: string, found: Problems): void {
  found.labelSelector(`${path}.labelSelector`, term['labelSelector']);
  const key = textOf(term['topologyKey']);
  if (key === '') found.required(`${path}.topologyKey`, 'can not be empty');
  else found.qualifiedName(`${path}.topologyKey`, key);
}
