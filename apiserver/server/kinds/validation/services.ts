/** Validates services and their endpoints (k8s.io/kubernetes `pkg/apis/core/validation`, `pkg/apis/discovery/validation`). */
import { jsonEqual } from '../../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../../objects/object.ts';
import { parseIp } from '../../schema/ip.ts';
import { validatePortReference } from './containers.ts';
import { listOf, mapOf, mapsOf, type Problems, shown, textOf, type Validator } from './problems.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
export const IP_TEXT = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

const validateService: Validator = (service, old, found) => {
  const spec = mapOf(service['spec']);
  const before = mapOf(old?.['spec']);
  const type = textOf(spec['type']);
  const headless = spec['clusterIP'] === 'None';
  const ports = mapsOf(spec['ports']);
  if (old !== undefined && type !== 'ExternalName' && before['type'] !== 'ExternalName')
    keptAddress(spec, before, found);
  if (ports.length === 0 && !headless && type !== 'ExternalName') found.required('spec.ports');
  if (headless && (type === 'LoadBalancer' || type === 'NodePort'))
    found.invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`);
  if (type === 'ExternalName') validateExternalName(spec, found);
  validatePorts(ports, found);
  found.labels('spec.selector', mapOf(spec['selector']));
  found.oneOf('spec.sessionAffinity', spec['sessionAffinity'], ['ClientIP', 'None']);
  for (const [index, address] of listOf(spec['externalIPs']).entries())
    validateEndpointIp(textOf(address), `spec.externalIPs[${index}]`, found);
  found.oneOf('spec.type', type, TYPES);
  validateNodePorts(ports, type, found);
  const seen = new Set<string>();
  for (const [index, { protocol, port }] of ports.entries()) {
    const key = `${textOf(protocol)}/${shown(port)}`;
    if (seen.has(key)) found.duplicate(`spec.ports[${index}]`, internalPort(protocol, port));
    seen.add(key);
  }
  validateSourceRanges(service, type, found);
  const external = type === 'NodePort' || type === 'LoadBalancer' || listOf(spec['externalIPs']).length > 0;
  if (!external && spec['externalTrafficPolicy'] !== undefined)
    found.invalid(
      'spec.externalTrafficPolicy',
      spec['externalTrafficPolicy'],
      'may only be set for externally-accessible services',
    );
  if (external) found.oneOf('spec.externalTrafficPolicy', spec['externalTrafficPolicy'], ['Cluster', 'Local']);
  found.oneOfIfAny('spec.internalTrafficPolicy', spec['internalTrafficPolicy'], ['Cluster', 'Local']);
  const balancer = mapOf(mapOf(service['status'])['loadBalancer']);
  const balanced = listOf(mapOf(mapOf(old?.['status'])['loadBalancer'])['ingress']).length > 0;
  if (type !== 'LoadBalancer' && !balanced && listOf(balancer['ingress']).length > 0)
    found.forbidden('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'");
  else validateIngress(mapsOf(balancer['ingress']), 'status.loadBalancer.ingress', found);
};

const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";

/** Validates the allowed source ranges of a load balancer, from the field or from the older annotation. */
function validateSourceRanges(service: KubeObject, type: string, found: Problems): void {
  const ranges = listOf(mapOf(service['spec'])['loadBalancerSourceRanges']);
  const at = 'spec.LoadBalancerSourceRanges';
  if (ranges.length > 0) {
    if (type !== 'LoadBalancer') found.forbidden(at, ONLY_BALANCED);
    for (const [index, range] of ranges.entries()) {
      const text = textOf(range).trim();
      found.cidr(`${at}[${index}]`, text);
    }
  } else if (service.metadata.annotations?.[SOURCE_RANGES] !== undefined && type !== 'LoadBalancer')
    found.forbidden(`metadata.annotations[${SOURCE_RANGES}]`, ONLY_BALANCED);
}

/** Returns a port with a duplicate number, printed as the real server's internal type. */
function internalPort(protocol: JsonValue | undefined, port: JsonValue | undefined): JsonObject {
  return { Name: '', Protocol: protocol ?? '', AppProtocol: null, Port: port ?? 0, TargetPort: 0, NodePort: 0 };
}

/** Validates load balancer ingress: ipMode is required with an IP, and forbidden without one. */
function validateIngress(ingress: readonly JsonObject[], path: string, found: Problems): void {
  for (const [index, { ip, ipMode }] of ingress.entries()) {
    const at = `${path}[${index}].ipMode`;
    if (ipMode === undefined && ip !== undefined) found.required(at, 'must be specified when `ip` is set');
    else if (ipMode !== undefined && ip === undefined) found.forbidden(at, 'may not be specified when `ip` is not set');
    else found.oneOfIfAny(at, ipMode, ['Proxy', 'VIP']);
  }
}

/** Checks that an allocated address is unchanged. */
function keptAddress(spec: JsonObject, before: JsonObject, found: Problems): void {
  if (spec['clusterIP'] === 'None' && before['clusterIP'] === 'None') return;
  const now = listOf(spec['clusterIPs']);
  const was = listOf(before['clusterIPs']);
  for (const [index, address] of (now.length === was.length ? was : was.slice(0, 1)).entries())
    if (now[index] !== address) found.invalid(`spec.clusterIPs[${index}]`, now, 'may not change once set');
}

function validateExternalName(spec: JsonObject, found: Problems): void {
  if (textOf(spec['clusterIP']) !== '') found.forbidden('spec.clusterIPs', 'may not be set for ExternalName services');
  if (listOf(spec['ipFamilies']).length > 0)
    found.forbidden('spec.ipFamilies', 'may not be set for ExternalName services');
  if (spec['ipFamilyPolicy'] !== undefined)
    found.forbidden('spec.ipFamilyPolicy', 'may not be set for ExternalName services');
  const name = textOf(spec['externalName']).replace(/\.$/, '');
  if (name === '') found.required('spec.externalName');
  else found.dnsSubdomain('spec.externalName', name);
}

function validatePorts(ports: readonly JsonObject[], found: Problems): void {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `spec.ports[${index}]`;
    const name = textOf(port['name']);
    if (name === '') {
      if (ports.length > 1) found.required(`${at}.name`);
    } else {
      found.dnsLabel(`${at}.name`, name);
      if (names.has(name)) found.duplicate(`${at}.name`, name);
      names.add(name);
    }
    found.portNumber(`${at}.port`, port['port']);
    found.oneOf(`${at}.protocol`, port['protocol'], PROTOCOLS);
    validatePortReference(port['targetPort'], `${at}.targetPort`, found);
    if (port['appProtocol'] !== undefined) found.qualifiedName(`${at}.appProtocol`, textOf(port['appProtocol']));
  }
}

function validateNodePorts(ports: readonly JsonObject[], type: string, found: Problems): void {
  const seen = new Set<string>();
  for (const [index, { nodePort, protocol }] of ports.entries()) {
    if (typeof nodePort !== 'number' || nodePort === 0) continue;
    const at = `spec.ports[${index}].nodePort`;
    if (type === 'ClusterIP') found.forbidden(at, "may not be used when `type` is 'ClusterIP'");
    const key = `${textOf(protocol)}/${nodePort}`;
    if (seen.has(key)) found.duplicate(at, nodePort);
    seen.add(key);
  }
}

function validateEndpointIp(address: string, path: string, found: Problems): void {
  if (!isIPv4(address) && !isIPv6(address)) {
    found.invalid(path, address, IP_TEXT);
    found.invalid(path, address, 'must be a valid IP address');
  } else if (address === '0.0.0.0' || address === '::')
    found.invalid(path, address, `may not be unspecified (${address})`);
  else if (address.startsWith('127.') || address === '::1')
    found.invalid(path, address, 'may not be in the loopback range (127.0.0.0/8, ::1/128)');
  else if (address.startsWith('169.254.') || address.toLowerCase().startsWith('fe80:'))
    found.invalid(path, address, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  else if (address.startsWith('224.0.0.'))
    found.invalid(path, address, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
}

const validateEndpoints: Validator = (endpoints, _, found) => {
  for (const [index, subset] of mapsOf(endpoints['subsets']).entries()) {
    const at = `subsets[${index}]`;
    const ready = mapsOf(subset['addresses']);
    const waiting = mapsOf(subset['notReadyAddresses']);
    if (ready.length + waiting.length === 0) found.required(at, 'must specify `addresses` or `notReadyAddresses`');
    for (const [field, addresses] of [
      ['addresses', ready],
      ['notReadyAddresses', waiting],
    ] as const)
      for (const [place, address] of addresses.entries())
        validateEndpointIp(textOf(address['ip']), `${at}.${field}[${place}].ip`, found);
    const ports = mapsOf(subset['ports']);
    for (const [place, port] of ports.entries())
      validateEndpointPort(port, ports.length > 1, `${at}.ports[${place}]`, found);
  }
};

function validateEndpointPort(port: JsonObject, named: boolean, path: string, found: Problems): void {
  const name = textOf(port['name']);
  if (named && name === '') found.required(`${path}.name`);
  else if (name !== '') found.dnsLabel(`${path}.name`, name);
  found.portNumber(`${path}.port`, port['port']);
  found.oneOf(`${path}.protocol`, port['protocol'], PROTOCOLS);
}

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

const validateEndpointSlice: Validator = (slice, old, found) => {
  const type = textOf(slice['addressType']);
  if (old !== undefined && type !== old['addressType']) found.invalid('addressType', type, 'field is immutable');
  found.oneOf('addressType', type, ADDRESS_TYPES);
  // Unchanged endpoints are not validated again.
  if (old === undefined || !jsonEqual(slice['endpoints'], old['endpoints']))
    validateSliceEndpoints(type, mapsOf(slice['endpoints']), found);
  const names = new Set<string>();
  for (const [index, port] of mapsOf(slice['ports']).entries()) {
    const at = `ports[${index}]`;
    const name = textOf(port['name']);
    if (name !== '') found.dnsLabel(`${at}.name`, name);
    if (names.has(name)) found.duplicate(`${at}.name`, name);
    names.add(name);
    found.oneOf(`${at}.protocol`, port['protocol'], PROTOCOLS);
  }
};

function validateSliceEndpoints(type: string, endpoints: readonly JsonObject[], found: Problems): void {
  for (const [index, endpoint] of endpoints.entries()) {
    const at = `endpoints[${index}].addresses`;
    const addresses = listOf(endpoint['addresses']);
    if (addresses.length === 0) found.required(at, 'must contain at least 1 address');
    for (const [place, address] of addresses.entries()) validateSliceAddress(type, address, at, place, found);
  }
}

function validateSliceAddress(type: string, address: JsonValue, path: string, place: number, found: Problems): void {
  const text = textOf(address);
  const at = `${path}[${place}]`;
  if (type === 'FQDN') found.dnsSubdomain(at, text);
  if (type !== 'IPv4' && type !== 'IPv6') return;
  if (!isIPv4(text) && !isIPv6(text)) {
    found.invalid(at, text, IP_TEXT);
    return;
  }
  if (isIPv4(text) !== (type === 'IPv4')) found.invalid(path, text, `must be an ${type} address`);
  validateEndpointIp(text, at, found);
}

export function isIPv4(text: string): boolean {
  return parseIp(text)?.length === 4;
}

export function isIPv6(text: string): boolean {
  return parseIp(text)?.length === 16;
}

/** Validators by resource. */
export const SERVICE_RULES: { readonly [gr: string]: Validator } = {
  services: validateService,
  endpoints: validateEndpoints,
  'endpointslices.discovery.k8s.io': validateEndpointSlice,
};
