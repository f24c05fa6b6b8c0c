/** Validates containers of pods and templates: names, ports, environment, mounts, probes, resources. */
import type { JsonObject, JsonValue } from '../../../objects/object.ts';
import { isMap } from '../../../objects/json.ts';
import { compareQuantities } from '../quantity.ts';
import { validateSecurityContext } from './security-context.ts';
import { listOf, mapOf, mapsOf, shown, textOf, type Problems } from './problems.ts';

/** The properties of the pod that the validation of its containers needs. */
export interface PodContext {
  /** Names of the valid volumes. */
  readonly volumes: ReadonlySet<string>;
  /** True if users in containers are users of the host. */
  readonly hostUsers: boolean;
}

export function validateContainers(spec: JsonObject, path: string, pod: PodContext, found: Problems): void {
  const containers = mapsOf(spec['containers']);
  if (containers.length === 0) found.required(`${path}.containers`);
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const at = `${path}.containers[${index}]`;
    validateContainer(container, at, pod, found);
    noteName(container, at, names, found);
    validateHooks(container, at, found);
  }
  validateInit(mapsOf(spec['initContainers']), `${path}.initContainers`, pod, names, found);
}

function noteName(container: JsonObject, at: string, names: Set<string>, found: Problems): void {
  const name = textOf(container['name']);
  if (names.has(name)) found.duplicate(`${at}.name`, name);
  else names.add(name);
}

function validateInit(
  containers: readonly JsonObject[],
  path: string,
  pod: PodContext,
  names: Set<string>,
  found: Problems,
): void {
  for (const [index, container] of containers.entries()) {
    const at = `${path}[${index}]`;
    validateContainer(container, at, pod, found);
    if (textOf(container['name']) !== '') noteName(container, at, names, found);
    const restarts = container['restartPolicy'] === 'Always';
    if (restarts) validateHooks(container, at, found);
    else
      for (const hook of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'])
        if (container[hook] !== undefined)
          found.forbidden(`${at}.${hook}`, 'may not be set for init containers without restartPolicy=Always');
  }
}

function validateContainer(container: JsonObject, path: string, pod: PodContext, found: Problems): void {
  const name = textOf(container['name']);
  if (name === '') found.required(`${path}.name`);
  else found.dnsLabel(`${path}.name`, name);
  if (textOf(container['image']) === '') found.required(`${path}.image`);
  found.oneOf(`${path}.terminationMessagePolicy`, container['terminationMessagePolicy'], [
    'File',
    'FallbackToLogsOnError',
  ]);
  validatePorts(mapsOf(container['ports']), `${path}.ports`, found);
  validateEnvironment(container, path, found);
  validateMounts(container, path, pod, found);
  found.oneOf(`${path}.imagePullPolicy`, container['imagePullPolicy'], ['Always', 'IfNotPresent', 'Never']);
  validateResources(mapOf(container['resources']), `${path}.resources`, found);
  if (isMap(container['securityContext']))
    validateSecurityContext(container['securityContext'], `${path}.securityContext`, pod, found);
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

function validatePorts(ports: readonly JsonObject[], path: string, found: Problems): void {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `${path}[${index}]`;
    const name = textOf(port['name']);
    if (name !== '') {
      const errors = portNameErrors(name);
      for (const text of errors) found.invalid(`${at}.name`, name, text);
      if (errors.length === 0 && names.has(name)) found.duplicate(`${at}.name`, name);
      names.add(name);
    }
    const { containerPort = 0, hostPort = 0 } = port;
    if (containerPort === 0) found.required(`${at}.containerPort`);
    else found.portNumber(`${at}.containerPort`, containerPort);
    if (hostPort !== 0) found.portNumber(`${at}.hostPort`, hostPort);
    found.oneOf(`${at}.protocol`, port['protocol'], PROTOCOLS);
  }
}

/** Returns errors in a port name, which must be an IANA service name. */
export function portNameErrors(name: string): readonly string[] {
  const errors: string[] = [];
  if (name.length > 15) errors.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name)) errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) errors.push('must contain at least one letter (a-z)');
  if (name.includes('--')) errors.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

/** A name of an environment variable: any printable ASCII except `=`. */
const ENV_NAME = /^[ -<>-~]+$/;
const ENV_NAME_TEXT =
  "a valid environment variable name must consist only of printable ASCII characters other than '=' (regex used for validation is '^[ -<>-~]+$')";

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;
const FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

function validateEnvironment(container: JsonObject, path: string, found: Problems): void {
  for (const [index, variable] of mapsOf(container['env']).entries()) {
    const at = `${path}.env[${index}]`;
    const name = textOf(variable['name']);
    if (name === '') found.required(`${at}.name`);
    else if (!ENV_NAME.test(name)) found.invalid(`${at}.name`, name, ENV_NAME_TEXT);
    const from = variable['valueFrom'];
    if (from !== undefined) validateSource(mapOf(from), textOf(variable['value']), `${at}.valueFrom`, found);
  }
  for (const [index, source] of mapsOf(container['envFrom']).entries()) {
    const at = `${path}.envFrom[${index}]`;
    let sources = 0;
    for (const kind of ['configMapRef', 'secretRef'] as const) {
      if (source[kind] === undefined) continue;
      sources++;
      if (textOf(mapOf(source[kind])['name']) === '') found.required(`${at}.${kind}.name`);
    }
    if (sources === 0) found.invalid(`${path}.envFrom`, '', 'must specify one of: `configMapRef` or `secretRef`');
    if (sources > 1) found.invalid(`${path}.envFrom`, '', 'may not have more than one field specified at a time');
  }
}

function validateSource(from: JsonObject, value: string, path: string, found: Problems): void {
  const given = SOURCES.filter((source) => from[source] !== undefined);
  for (const source of given) {
    const at = `${path}.${source}`;
    const reference = mapOf(from[source]);
    if (source === 'fieldRef') {
      const fieldPath = textOf(reference['fieldPath']);
      if (fieldPath === '') found.required(`${at}.fieldPath`);
      else if (!/^metadata\.(labels|annotations)\['.*'\]$/.test(fieldPath) && !FIELDS.includes(fieldPath))
        found.invalid(
          `${at}.fieldPath`,
          fieldPath,
          `error converting fieldPath: field label not supported: ${fieldPath}`,
        );
    } else if (source === 'configMapKeyRef' || source === 'secretKeyRef') {
      if (textOf(reference['name']) === '') found.required(`${at}.name`);
      if (textOf(reference['key']) === '') found.required(`${at}.key`);
    } else if (source === 'resourceFieldRef' && textOf(reference['resource']) === '') found.required(`${at}.resource`);
  }
  if (given.length === 0)
    found.invalid(
      path,
      '',
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    );
  else if (value !== '') found.invalid(path, '', 'may not be specified when `value` is not empty');
  else if (given.length > 1) found.invalid(path, '', 'may not have more than one field specified at a time');
}

function validateMounts(container: JsonObject, path: string, { volumes }: PodContext, found: Problems): void {
  const places = new Set<string>();
  for (const [index, mount] of mapsOf(container['volumeMounts']).entries()) {
    const at = `${path}.volumeMounts[${index}]`;
    const name = textOf(mount['name']);
    const mountPath = textOf(mount['mountPath']);
    if (name === '') found.required(`${at}.name`);
    if (!volumes.has(name)) found.notFound(`${at}.name`, name);
    if (mountPath === '') found.required(`${at}.mountPath`);
    if (places.has(mountPath)) found.invalid(`${at}.mountPath`, mountPath, 'must be unique');
    places.add(mountPath);
    const subPath = textOf(mount['subPath']);
    if (subPath.startsWith('/')) found.invalid(`${path}.volumeMounts.subPath`, subPath, 'must be a relative path');
    if (subPath.split('/').includes('..'))
      found.invalid(`${path}.volumeMounts.subPath`, subPath, "must not contain '..'");
  }
}

/** Reports whether a resource may be overcommitted. */
function isOvercommitted(resource: string): boolean {
  return !resource.includes('/') || resource.startsWith('kubernetes.io/') ? !resource.startsWith('hugepages-') : false;
}

const STANDARD = ['cpu', 'memory', 'ephemeral-storage', 'storage'];

function validateResources(resources: JsonObject, path: string, found: Problems): void {
  const limits = mapOf(resources['limits']);
  const requests = mapOf(resources['requests']);
  for (const [name, quantity] of Object.entries(limits)) {
    validateResourceName(name, `${path}.limits[${name}]`, found);
    nonNegativeQuantity(quantity, `${path}.limits[${name}]`, found);
  }
  for (const [name, quantity] of Object.entries(requests)) {
    validateResourceName(name, `${path}.requests[${name}]`, found);
    nonNegativeQuantity(quantity, `${path}.requests[${name}]`, found);
    const limit = limits[name];
    if (limit === undefined || quantity === undefined) {
      if (!isOvercommitted(name))
        found.required(`${path}.limits`, 'Limit must be set for non overcommitable resources');
      continue;
    }
    const order = compareQuantities(quantity, limit);
    if (order !== 0 && !isOvercommitted(name))
      found.invalid(`${path}.requests`, quantity, `must be equal to ${name} limit of ${shown(limit)}`);
    else if (order > 0)
      found.invalid(`${path}.requests`, quantity, `must be less than or equal to ${name} limit of ${shown(limit)}`);
  }
}

function validateResourceName(name: string, path: string, found: Problems): void {
  found.qualifiedName(path, name);
  if (!name.includes('/') && !STANDARD.includes(name) && !name.startsWith('hugepages-'))
    found.invalid(path, name, 'must be a standard resource type or fully qualified');
}

function nonNegativeQuantity(quantity: JsonValue | undefined, path: string, found: Problems): void {
  if (quantity !== undefined && compareQuantities(quantity, '0') < 0)
    found.invalid(path, quantity, 'must be greater than or equal to 0');
}

function validateHooks(container: JsonObject, path: string, found: Problems): void {
  const lifecycle = mapOf(container['lifecycle']);
  for (const hook of ['postStart', 'preStop'] as const)
    if (lifecycle[hook] !== undefined) validateHandler(mapOf(lifecycle[hook]), `${path}.lifecycle.${hook}`, found);
  for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    if (container[kind] === undefined) continue;
    const probe = mapOf(container[kind]);
    const at = `${path}.${kind}`;
    validateHandler(probe, at, found);
    for (const field of [
      'initialDelaySeconds',
      'timeoutSeconds',
      'periodSeconds',
      'successThreshold',
      'failureThreshold',
    ])
      found.nonNegative(`${at}.${field}`, probe[field]);
    const grace = probe['terminationGracePeriodSeconds'];
    if (typeof grace === 'number' && grace <= 0)
      found.invalid(`${at}.terminationGracePeriodSeconds`, grace, 'must be greater than 0');
    if (kind !== 'readinessProbe' && probe['successThreshold'] !== 1)
      found.invalid(`${at}.successThreshold`, probe['successThreshold'], 'must be 1');
    if (kind === 'readinessProbe' && grace !== undefined)
      found.invalid(`${at}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes');
  }
}

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

function validateHandler(handler: JsonObject, path: string, found: Problems): void {
  const given = HANDLERS.filter((kind) => handler[kind] !== undefined);
  for (const [index, kind] of given.entries()) {
    const at = `${path}.${kind}`;
    const action = mapOf(handler[kind]);
    if (index > 0) found.forbidden(at, 'may not specify more than 1 handler type');
    else if (kind === 'exec') {
      if (listOf(action['command']).length === 0) found.required(`${at}.command`);
    } else if (kind === 'httpGet') {
      if (textOf(action['path']) === '') found.required(`${at}.path`);
      validatePortReference(action['port'], `${at}.port`, found);
      found.oneOfIfAny(`${at}.scheme`, action['scheme'], ['HTTP', 'HTTPS']);
    } else if (kind === 'tcpSocket') validatePortReference(action['port'], `${at}.port`, found);
    else if (kind === 'grpc') found.portNumber(`${at}.port`, action['port']);
  }
  if (given.length === 0) found.required(path, 'must specify a handler type');
}

/** Validates a port number or name. */
export function validatePortReference(port: JsonValue | undefined, path: string, found: Problems): void {
  if (typeof port === 'string') for (const text of portNameErrors(port)) found.invalid(path, port, text);
  else found.portNumber(path, port);
}
