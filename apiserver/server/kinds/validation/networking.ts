/** Validates ingresses and network policies (k8s.io/kubernetes `pkg/apis/networking/validation`). */
import type { JsonObject } from '../../../objects/object.ts';
import { parseIp } from '../../schema/ip.ts';
import { portNameErrors } from './containers.ts';
import { listOf, mapOf, mapsOf, type Problems, textOf, type Validator } from './problems.ts';

const validateIngress: Validator = (ingress, _, found) => {
  const spec = mapOf(ingress['spec']);
  const rules = mapsOf(spec['rules']);
  if (rules.length === 0 && spec['defaultBackend'] === undefined)
    found.invalid('spec', null, 'either `defaultBackend` or `rules` must be specified');
  if (spec['defaultBackend'] !== undefined)
    validateBackend(mapOf(spec['defaultBackend']), 'spec.defaultBackend', found);
  for (const [index, rule] of rules.entries()) {
    const at = `spec.rules[${index}]`;
    const host = textOf(rule['host']);
    if (parseIp(host) !== undefined) found.invalid(`${at}.host`, host, 'must be a DNS name, not an IP address');
    if (host !== '') validateHost(`${at}.host`, host, found);
    if (rule['http'] === undefined) continue;
    const paths = mapsOf(mapOf(rule['http'])['paths']);
    if (paths.length === 0) found.required(`${at}.http.paths`);
    for (const [place, path] of paths.entries()) validatePath(path, `${at}.http.paths[${place}]`, found);
  }
  for (const [index, tls] of mapsOf(spec['tls']).entries()) {
    const at = `spec.tls[${index}]`;
    for (const [place, host] of listOf(tls['hosts']).entries())
      validateHost(`${at}.hosts[${place}]`, textOf(host), found);
    const secret = textOf(tls['secretName']);
    if (secret !== '') found.dnsSubdomain(`${at}.secretName`, secret);
  }
  const className = textOf(spec['ingressClassName']);
  if (className !== '') found.dnsSubdomain('spec.ingressClassName', className);
};

const WILDCARD = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const WILDCARD_TEXT =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function validateHost(path: string, host: string, found: Problems): void {
  if (!host.includes('*')) found.dnsSubdomain(path, host);
  else if (!WILDCARD.test(host)) found.invalid(path, host, WILDCARD_TEXT);
}

const SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const SUFFIXES = ['/..', '/.'];

function validatePath(path: JsonObject, at: string, found: Problems): void {
  const { pathType } = path;
  if (pathType === undefined || pathType === null) {
    found.required(`${at}.pathType`, 'pathType must be specified');
    return;
  }
  const text = textOf(path['path']);
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!text.startsWith('/')) found.invalid(`${at}.path`, text, 'must be an absolute path');
    for (const bad of SEQUENCES) if (text.includes(bad)) found.invalid(`${at}.path`, text, `must not contain '${bad}'`);
    for (const bad of SUFFIXES) if (text.endsWith(bad)) found.invalid(`${at}.path`, text, `cannot end with '${bad}'`);
  } else if (pathType === 'ImplementationSpecific') {
    if (text !== '' && !text.startsWith('/')) found.invalid(`${at}.path`, text, 'must be an absolute path');
  } else found.unsupported(`${at}.pathType`, pathType, ['Exact', 'ImplementationSpecific', 'Prefix']);
  validateBackend(mapOf(path['backend']), `${at}.backend`, found);
}

function validateBackend({ resource, service }: JsonObject, path: string, found: Problems): void {
  if (resource !== undefined && service !== undefined)
    found.invalid(path, '', 'cannot set both resource and service backends');
  else if (service !== undefined) {
    const { name, port } = mapOf(service);
    if (textOf(name) === '') found.required(`${path}.service.name`);
    else found.dnsLabel(`${path}.service.name`, textOf(name));
    const { name: portName, number = 0 } = mapOf(port);
    if (textOf(portName) !== '' && number !== 0) found.invalid(path, '', 'cannot set both port name & port number');
    else if (textOf(portName) !== '')
      for (const text of portNameErrors(textOf(portName))) found.invalid(`${path}.service.port.name`, portName, text);
    else if (number !== 0) found.portNumber(`${path}.service.port.number`, number);
    else found.required(path, 'port name or number is required');
  } else if (resource === undefined) found.invalid(path, '', 'resource or service backend is required');
}

const validateNetworkPolicy: Validator = (policy, _, found) => {
  const spec = mapOf(policy['spec']);
  found.labelSelector('spec.podSelector', spec['podSelector']);
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const)
    for (const [index, rule] of mapsOf(spec[direction]).entries()) {
      const at = `spec.${direction}[${index}]`;
      for (const [place, port] of mapsOf(rule['ports']).entries()) validatePort(port, `${at}.ports[${place}]`, found);
      for (const [place, peer] of mapsOf(rule[peers]).entries()) validatePeer(peer, `${at}.${peers}[${place}]`, found);
    }
  const types = listOf(spec['policyTypes']);
  if (types.length > 2) found.invalid('spec.policyTypes', types, 'may not specify more than two policyTypes');
  else
    for (const [index, type] of types.entries())
      found.oneOfIfAny(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress']);
};

function validatePort({ protocol, port, endPort }: JsonObject, path: string, found: Problems): void {
  found.oneOfIfAny(`${path}.protocol`, protocol, ['TCP', 'UDP', 'SCTP']);
  if (typeof port === 'number') {
    found.portNumber(`${path}.port`, port);
    if (typeof endPort === 'number' && endPort < port)
      found.invalid(`${path}.endPort`, port, 'must be greater than or equal to `port`');
    found.inRange(`${path}.endPort`, endPort, 1, 65_535);
  } else if (typeof port === 'string') {
    if (endPort !== undefined)
      found.invalid(`${path}.endPort`, endPort, 'may not be specified when `port` is non-numeric');
    for (const text of portNameErrors(port)) found.invalid(`${path}.port`, port, text);
  } else if (endPort !== undefined)
    found.invalid(`${path}.endPort`, endPort, 'may not be specified when `port` is not specified');
}

function validatePeer(peer: JsonObject, path: string, found: Problems): void {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  found.labelSelector(`${path}.podSelector`, podSelector);
  found.labelSelector(`${path}.namespaceSelector`, namespaceSelector);
  if (ipBlock !== undefined) {
    const cidr = textOf(mapOf(ipBlock)['cidr']);
    if (cidr === '') found.required(`${path}.ipBlock.cidr`);
    else found.cidr(`${path}.ipBlock.cidr`, cidr);
    if (podSelector !== undefined || namespaceSelector !== undefined)
      found.forbidden(path, 'may not specify both ipBlock and another peer');
  } else if (podSelector === undefined && namespaceSelector === undefined) found.required(path, 'must specify a peer');
}

/** Validators by resource. */
export const NETWORKING_RULES: { readonly [gr: string]: Validator } = {
  'ingresses.networking.k8s.io': validateIngress,
  'networkpolicies.networking.k8s.io': validateNetworkPolicy,
};
