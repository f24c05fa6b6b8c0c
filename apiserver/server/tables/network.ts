/** The cells of services, ingresses and other networking kinds. */
import type { KubeObject } from '../../objects/object.ts';
import { age, annotated, between, name, spec, type Printer } from './printer.ts';
import { at, count, items, labelsText, listWithMore, maps, number, selectorText, text } from './reading.ts';

function ingressAddresses(object: KubeObject): string {
  const all = maps(at(object, 'status', 'loadBalancer', 'ingress')).map(({ ip, hostname }) => text(ip, text(hostname)));
  return [...new Set(all.filter((one) => one !== ''))].toSorted().join(',');
}

function externalAddress(service: KubeObject): string {
  const external = items(spec(service, 'externalIPs')).map((ip) => text(ip));
  switch (spec(service, 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer': {
      const balanced = ingressAddresses(service);
      return [...(balanced === '' ? [] : [balanced]), ...external].join(',') || '<pending>';
    }
    case 'ExternalName':
      return text(spec(service, 'externalName'));
    default:
      return '<unknown>';
  }
}

function servicePorts(service: KubeObject): string {
  const shown = maps(spec(service, 'ports')).map(({ port, nodePort, protocol }) =>
    number(nodePort) > 0
      ? `${number(port)}:${number(nodePort)}/${text(protocol)}`
      : `${number(port)}/${text(protocol)}`,
  );
  return shown.join(',') || '<none>';
}

function endpointAddresses(object: KubeObject): string {
  const subsets = maps(object['subsets']);
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap(({ addresses, ports }) => {
    const hosts = maps(addresses).map(({ ip }) => text(ip));
    if (items(ports).length === 0) return hosts;
    return maps(ports).flatMap(({ port }) => hosts.map((host) => `${bracketed(host)}:${number(port)}`));
  });
  return listWithMore(all, 3, '');
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function ingressHosts(object: KubeObject): string {
  const rules = maps(spec(object, 'rules'));
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (hosts.length === 3) more = true;
    if (!more && text(host) !== '') hosts.push(text(host));
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - 3} more...` : hosts.join(',');
}

/** Printers by resource and group. */
export const NETWORK: { readonly [gr: string]: Printer } = {
  services: (object, now) => [
    name(object),
    text(spec(object, 'type')),
    text(at(object, 'spec', 'clusterIPs', 0), '<none>'),
    externalAddress(object),
    servicePorts(object),
    age(object, now),
    labelsText(spec(object, 'selector')),
  ],
  endpoints: between((object) => [endpointAddresses(object)]),
  'ingresses.networking.k8s.io': between((object) => [
    text(spec(object, 'ingressClassName'), '<none>'),
    ingressHosts(object),
    ingressAddresses(object),
    count(spec(object, 'tls')) === 0 ? '80' : '80, 443',
  ]),
  'ingressclasses.networking.k8s.io': (object, now) => {
    const parameters = spec(object, 'parameters');
    const group = at(parameters, 'apiGroup');
    const kind = `${text(at(parameters, 'kind'))}${group === undefined ? '' : `.${text(group)}`}`;
    return [
      annotated(object, 'ingressclass.kubernetes.io/is-default-class'),
      text(spec(object, 'controller')),
      parameters === undefined ? '<none>' : `${kind}/${text(at(parameters, 'name'))}`,
      age(object, now),
    ];
  },
  'ipaddresses.networking.k8s.io': between((object) => {
    const parent = spec(object, 'parentRef');
    if (parent === undefined) return ['<none>'];
    const group = text(at(parent, 'group'));
    const namespace = text(at(parent, 'namespace'));
    const resource = `${text(at(parent, 'resource'))}${group === '' ? '' : `.${group}`}`.toLowerCase();
    return [`${resource}/${namespace === '' ? '' : `${namespace}/`}${text(at(parent, 'name'))}`];
  }),
  'networkpolicies.networking.k8s.io': between((object) => [selectorText(spec(object, 'podSelector')) || '<none>']),
  'servicecidrs.networking.k8s.io': between((object) => [
    items(spec(object, 'cidrs'))
      .map((cidr) => text(cidr))
      .join(','),
  ]),
  'endpointslices.discovery.k8s.io': between((object) => [
    text(object['addressType']),
    listWithMore(
      maps(object['ports']).map(({ port, name: called }) => text(port, text(called, '*'))),
      3,
      '<unset>',
    ),
    listWithMore(
      maps(object['endpoints']).flatMap(({ addresses }) => items(addresses).map((one) => text(one))),
      3,
      '<unset>',
    ),
  ]),
};
