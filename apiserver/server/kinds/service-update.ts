/**
 * Updates of a service's spec (k8s.io/kubernetes `pkg/registry/core/service`).
 *
 * Owns: allocated values that an update omits, dependent fields, fields that are cleared when the type changes. Does not own: new addresses
 * and ports (`service.ts`). Start at {@link changedSpec}.
 */
import { isList, isMap, textOf, jsonEqual } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { without } from './defaults/rules.ts';
import { fill, inItems } from './fill.ts';

/** Returns the updated spec. The order is that of the real server: keep old values, derive dependent fields, clear unneeded fields. */
export function changedSpec(spec: JsonObject, old: JsonObject): JsonObject {
  const kept = needsAddress(spec) && needsAddress(old) ? withOldAddress(spec, old) : spec;
  const ported = needsPorts(kept) && needsPorts(old) ? withOldPorts(kept, old) : kept;
  const checked =
    needsHealthPort(ported) && needsHealthPort(old) && !isPort(ported['healthCheckNodePort'])
      ? { ...ported, healthCheckNodePort: old['healthCheckNodePort'] }
      : ported;
  const followed = followingAddress(checked, old);
  return withoutOther(needsAddress(followed) ? withFamilies(followed, old) : followed, old);
}

function needsAddress({ type }: JsonObject): boolean {
  return type !== 'ExternalName';
}

export function needsPorts({ type }: JsonObject): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

/** Reports whether a service needs a health check node port: a load balancer with externalTrafficPolicy Local does. */
export function needsHealthPort({ type, externalTrafficPolicy }: JsonObject): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

/** Reports whether a value is a port; 0 counts as absent. */
export function isPort(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== 0;
}

function withOldAddress(spec: JsonObject, old: JsonObject): JsonObject {
  const address = spec['clusterIP'] === '' ? without(spec, 'clusterIP') : spec;
  return fill(address, { clusterIP: old['clusterIP'], clusterIPs: old['clusterIPs'] });
}

/** Keeps node ports by port name, unless the update sets another node port. */
function withOldPorts(spec: JsonObject, old: JsonObject): JsonObject {
  const before = portsOf(old);
  const given = new Set(nodePortsOf(spec));
  const used = new Set(nodePortsOf(old).filter((port) => given.has(port)));
  const byName = new Map(before.map(({ name, nodePort }) => [name, nodePort]));
  return inItems(spec, 'ports', (port) => {
    const nodePort = byName.get(port['name']);
    return used.has(nodePort) ? port : fill(port, { nodePort });
  });
}

function portsOf({ ports }: JsonObject): readonly JsonObject[] {
  return isList(ports) ? ports.filter(isMap) : [];
}

function nodePortsOf(spec: JsonObject): readonly (JsonValue | undefined)[] {
  return portsOf(spec)
    .map(({ nodePort }) => nodePort)
    .filter((port) => port !== undefined);
}

/** Updates the list of addresses if clusterIP changed, because old clients only know and change that field. */
function followingAddress(spec: JsonObject, old: JsonObject): JsonObject {
  const { clusterIP = '', clusterIPs } = spec;
  if (clusterIP === (old['clusterIP'] ?? ''))
    return old['clusterIPs'] === undefined ? spec : fill(spec, { clusterIPs: old['clusterIPs'] });
  if (!jsonEqual(clusterIPs ?? [], old['clusterIPs'] ?? [])) return spec;
  return clusterIP === '' ? without(spec, 'clusterIPs') : { ...spec, clusterIPs: [clusterIP] };
}

/** Keeps the family policies of the old spec; the families follow the addresses. */
function withFamilies(spec: JsonObject, old: JsonObject): JsonObject {
  const { clusterIPs } = spec;
  const free = spec['clusterIP'] === 'None' && spec['selector'] === undefined;
  const ipFamilyPolicy = spec['ipFamilyPolicy'] ?? old['ipFamilyPolicy'] ?? (free ? 'RequireDualStack' : 'SingleStack');
  const addresses = (isList(clusterIPs) ? clusterIPs.map(textOf) : []).filter((one) => one !== '' && one !== 'None');
  const named = addresses.map((one) => (one.includes(':') ? 'IPv6' : 'IPv4'));
  const both = free && ipFamilyPolicy !== 'SingleStack';
  return fill(spec, {
    ipFamilies: named.length > 0 ? named : both ? ['IPv4', 'IPv6'] : ['IPv4'],
    ipFamilyPolicy,
  });
}

/** Clears fields that are no longer needed, unless the update changed them as well. */
function withoutOther(given: JsonObject, old: JsonObject): JsonObject {
  let spec = given;
  if (needsAddress(old) && !needsAddress(spec)) {
    if (['clusterIP', 'clusterIPs'].every((key) => jsonEqual(spec[key], old[key])))
      spec = without(without(spec, 'clusterIP'), 'clusterIPs');
    spec = withoutSame(spec, old, ['ipFamilies', 'ipFamilyPolicy']);
  }
  if (needsPorts(old) && !needsPorts(spec)) {
    const known = nodePortsOf(old);
    if (nodePortsOf(spec).every((port) => known.includes(port)))
      spec = inItems(spec, 'ports', (port) => without(port, 'nodePort'));
  }
  if (needsHealthPort(old) && !needsHealthPort(spec)) spec = withoutSame(spec, old, ['healthCheckNodePort']);
  if (old['type'] === 'LoadBalancer' && spec['type'] !== 'LoadBalancer')
    spec = withoutSame(spec, old, ['allocateLoadBalancerNodePorts', 'loadBalancerClass']);
  return isReachable(old) && !isReachable(spec) ? withoutSame(spec, old, ['externalTrafficPolicy']) : spec;
}

function withoutSame(map: JsonObject, old: JsonObject, keys: readonly string[]): JsonObject {
  return keys.reduce((rest, key) => (jsonEqual(map[key], old[key]) ? without(rest, key) : rest), map);
}

/** Reports whether externalTrafficPolicy applies to a service. */
function isReachable(spec: JsonObject): boolean {
  const addresses = spec['externalIPs'];
  return needsPorts(spec) || (spec['type'] === 'ClusterIP' && isList(addresses) && addresses.length > 0);
}
