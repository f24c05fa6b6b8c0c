/**
 * Services: allocation of cluster IPs and node ports.
 *
 * Allocates the lowest free address of 10.0.0.0/24, and the lowest free port from 30000. A real server draws at random; here the same
 * writes get the same addresses.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { type Strategy } from '../definition.ts';
import { without } from './defaults/rules.ts';
import { fill, inItems, inMap } from './fill.ts';
import { unallocatable } from './service-allocation.ts';
import { changedSpec, isPort, needsHealthPort, needsPorts } from './service-update.ts';
import { mapsOf } from './validation/problems.ts';

const PORTS_FROM = 30_000;

function specOf(object: KubeObject | undefined): JsonObject {
  const spec = object?.['spec'];
  return isMap(spec) ? spec : {};
}

function normalise(service: KubeObject, old: KubeObject | undefined): KubeObject {
  const given = specOf(service);
  if (old === undefined) {
    const spec = given['type'] === 'ExternalName' ? named(given) : fill(given, families(given));
    return spec === service['spec'] ? service : { ...service, spec };
  }
  // A write to the status does not change the spec, not even a spec without allocated values.
  if (service['spec'] === old['spec']) return service;
  const next = changedSpec(given, specOf(old));
  const spec = next['type'] === 'ExternalName' ? named(next) : next;
  const changed = spec === given ? service : { ...service, spec };
  return spec['type'] === 'LoadBalancer' ? changed : (inMap(changed, 'status', unbalanced) as KubeObject);
}

/** Removes internalTrafficPolicy, which a real server omits when it reads an ExternalName service. */
function named(spec: JsonObject): JsonObject {
  return without(spec, 'internalTrafficPolicy');
}

/** Clears the load balancer status of a service that is not a load balancer. */
function unbalanced(status: JsonObject): JsonObject {
  const { loadBalancer } = status;
  return isMap(loadBalancer) && Object.keys(loadBalancer).length > 0 ? { ...status, loadBalancer: {} } : status;
}

/** Returns the default families: IPv4 only, except for headless services without a selector, which get both. */
function families(spec: JsonObject): JsonObject {
  const free = spec['clusterIP'] === 'None' && spec['selector'] === undefined;
  return free
    ? { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }
    : { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
}

function onCreate(service: KubeObject, peersOf: () => readonly KubeObject[]): KubeObject {
  const spec = withPorts(withAddress(specOf(service), peersOf), peersOf, true);
  return { ...service, spec, status: { loadBalancer: {} } };
}

/**
 * Allocates node ports, and addresses if the service was an ExternalName. Services of other types have already been through allocation,
 * even if they got no address.
 */
function onUpdate(service: KubeObject, old: KubeObject, peersOf: () => readonly KubeObject[]): KubeObject {
  const given = specOf(service);
  const spec = withPorts(specOf(old)['type'] === 'ExternalName' ? withAddress(given, peersOf) : given, peersOf, false);
  return spec === given ? service : { ...service, spec };
}

function withAddress(spec: JsonObject, peersOf: () => readonly KubeObject[]): JsonObject {
  const { type, clusterIP: address, clusterIPs } = spec;
  if (type === 'ExternalName') return spec;
  if (address !== undefined && address !== '') return fill(spec, { clusterIPs: [address] });
  if (isList(clusterIPs) && clusterIPs.length > 0) return spec;
  const free = freeAddress(peersOf());
  return { ...spec, clusterIP: free, clusterIPs: [free] };
}

/** Allocates node ports where the type needs them, and a health check node port where the policy does. */
function withPorts(spec: JsonObject, peersOf: () => readonly KubeObject[], isNew: boolean): JsonObject {
  let taken: Set<number> | undefined;
  const free = (): number => {
    taken ??= takenPorts(peersOf());
    let port = PORTS_FROM;
    while (taken.has(port)) port++;
    taken.add(port);
    return port;
  };
  const given = isNew ? askedPorts(mapsOf(spec['ports'])) : undefined;
  const withNodePort = (port: JsonObject): JsonObject => {
    if (port['nodePort'] !== undefined) return port;
    const nodePort = given?.get(port['port']) ?? free();
    given?.set(port['port'], nodePort);
    return { ...port, nodePort };
  };
  const allocated =
    needsPorts(spec) && spec['allocateLoadBalancerNodePorts'] !== false ? inItems(spec, 'ports', withNodePort) : spec;
  return needsHealthPort(spec) && !isPort(spec['healthCheckNodePort'])
    ? { ...allocated, healthCheckNodePort: free() }
    : allocated;
}

/** Returns the requested node ports by port number: in a new service, TCP and UDP ports with the same number share a node port. */
function askedPorts(ports: readonly JsonObject[]): Map<JsonValue | undefined, JsonValue> {
  const asked = new Map<JsonValue | undefined, JsonValue>();
  for (const { port, nodePort } of ports)
    if (nodePort !== undefined && isPort(nodePort) && !asked.has(port)) asked.set(port, nodePort);
  return asked;
}

/** Returns the lowest free address; 10.0.0.1 belongs to the service kubernetes. */
function freeAddress(peers: readonly KubeObject[]): string {
  const taken = new Set(peers.map((peer) => specOf(peer)['clusterIP']));
  let number = 2;
  while (taken.has(addressOf(number))) number++;
  return addressOf(number);
}

function addressOf(number: number): string {
  return `10.0.${number >> 8}.${number & 255}`;
}

function takenPorts(peers: readonly KubeObject[]): Set<number> {
  const taken = new Set<number>();
  for (const peer of peers) {
    const { ports, healthCheckNodePort } = specOf(peer);
    if (typeof healthCheckNodePort === 'number') taken.add(healthCheckNodePort);
    for (const port of isList(ports) ? ports : [])
      if (isMap(port) && typeof port['nodePort'] === 'number') taken.add(port['nodePort']);
  }
  return taken;
}

export const SERVICE: Partial<Strategy> = {
  normalise,
  onCreate,
  // A service that a status write creates gets no addresses: the real server only allocates on writes to the main resource.
  onCreateByStatus: (service) => ({ ...service, status: { loadBalancer: {} } }),
  onUpdate,
  unallocatable,
};
