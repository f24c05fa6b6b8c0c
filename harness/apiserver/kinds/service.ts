/**
 * Services: the allocation of cluster addresses and node ports.
 *
 * Addresses are the lowest free ones of 10.0.0.0/24 and ports the lowest free ones from 30000, where a real server draws at random:
 * same writes, same addresses.
 */
import { isList, isMap } from '../../model/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../model/object.ts';
import { type Strategy } from '../definition.ts';
import { fill, inItems } from './fill.ts';
import { validateService } from './validation/services.ts';

const PORTS_FROM = 30_000;

function specOf(object: KubeObject | undefined): JsonObject {
  const spec = object?.['spec'];
  return isMap(spec) ? spec : {};
}

function normalise(service: KubeObject, old: KubeObject | undefined): KubeObject {
  let spec = specOf(service);
  if (spec['type'] !== 'ExternalName') {
    spec = fill(spec, families(spec));
    if (old !== undefined) spec = kept(spec, specOf(old));
  }
  return spec === service['spec'] ? service : { ...service, spec };
}

/** One family, but for headless services without a selector: whoever makes their endpoints may choose. */
function families(spec: JsonObject): JsonObject {
  const free = spec['clusterIP'] === 'None' && spec['selector'] === undefined;
  return free
    ? { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }
    : { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
}

/** What was allocated stays when an update says nothing of it. */
function kept(spec: JsonObject, old: JsonObject): JsonObject {
  const allocated: { [key: string]: JsonValue | undefined } = {};
  for (const key of ['clusterIP', 'clusterIPs'])
    if (old[key] !== undefined && (spec[key] === undefined || spec[key] === '')) allocated[key] = old[key];
  let filled = Object.keys(allocated).length === 0 ? spec : { ...spec, ...allocated };
  if (isReachable(old) && !isReachable(spec) && spec['externalTrafficPolicy'] === old['externalTrafficPolicy']) {
    const { externalTrafficPolicy: _, ...rest } = filled;
    filled = rest;
  }
  if (old['type'] === 'LoadBalancer' && spec['type'] !== 'LoadBalancer')
    filled = withoutSame(filled, old, ['allocateLoadBalancerNodePorts', 'loadBalancerClass']);
  const oldPorts = isList(old['ports']) ? old['ports'].filter(isMap) : [];
  if (spec['type'] === 'ClusterIP')
    // Ports on nodes that came with the old type go with it.
    return inItems(filled, 'ports', (port) =>
      withoutSame(port, oldPorts.find((one) => one['port'] === port['port']) ?? {}, ['nodePort']),
    );
  filled = inItems(filled, 'ports', (port) => {
    const was = oldPorts.find((one) => one['port'] === port['port'] && one['protocol'] === port['protocol']);
    return was?.['nodePort'] === undefined ? port : fill(port, { nodePort: was['nodePort'] });
  });
  return filled;
}

/** Without the keys that are as they were. */
function withoutSame(map: JsonObject, old: JsonObject, keys: readonly string[]): JsonObject {
  const gone = keys.filter((key) => map[key] !== undefined && map[key] === old[key]);
  return gone.length === 0 ? map : Object.fromEntries(Object.entries(map).filter(([key]) => !gone.includes(key)));
}

/** Whether a traffic policy for the outside means anything; one that no longer does goes with the last reason for it. */
function isReachable(spec: JsonObject): boolean {
  if (spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer') return true;
  const addresses = spec['externalIPs'];
  return isList(addresses) && addresses.length > 0;
}

function onCreate(service: KubeObject, peersOf: () => readonly KubeObject[]): KubeObject {
  return { ...allocated(service, peersOf), status: { loadBalancer: {} } };
}

/** With an address, and a port on every node where the type asks for one. */
function allocated(service: KubeObject, peersOf: () => readonly KubeObject[]): KubeObject {
  let spec = specOf(service);
  const { type, clusterIP: address } = spec;
  if (type === 'ExternalName') return service;
  if (address === undefined || address === '') {
    const free = freeAddress(peersOf());
    spec = { ...spec, clusterIP: free, clusterIPs: [free] };
  } else spec = fill(spec, { clusterIPs: [address] });
  if (type !== 'ClusterIP') {
    let taken: Set<number> | undefined;
    spec = inItems(spec, 'ports', (port) => {
      if (port['nodePort'] !== undefined) return port;
      taken ??= takenPorts(peersOf());
      let free = PORTS_FROM;
      while (taken.has(free)) free++;
      taken.add(free);
      return { ...port, nodePort: free };
    });
  }
  return spec === service['spec'] ? service : { ...service, spec };
}

/** 10.0.0.1 is kubernetes' own. */
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
    const { ports } = specOf(peer);
    for (const port of isList(ports) ? ports : [])
      if (isMap(port) && typeof port['nodePort'] === 'number') taken.add(port['nodePort']);
  }
  return taken;
}

/** Created by a write to its status, a service gets no addresses: the real server allocates on its way to the main resource only. */
function onCreateByStatus(service: KubeObject): KubeObject {
  return { ...service, status: { loadBalancer: {} } };
}

export const SERVICE: Partial<Strategy> = {
  normalise,
  onCreate,
  onCreateByStatus,
  onUpdate: allocated,
  validate: validateService,
};
