/**
 * Allocation errors of services (k8s.io/kubernetes `pkg/registry/core/service/storage`). A real server allocates before it validates, so
 * these errors are reported alone.
 */
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import type { FieldError } from '../refusal.ts';
import { needsPorts } from './service-update.ts';
import { listOf, mapOf, mapsOf, Problems, shown, textOf } from './validation/problems.ts';
import { IP_TEXT, isIPv4, isIPv6 } from './validation/services.ts';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** Returns allocation errors: field errors, or one error without a field. */
export function unallocatable(
  service: KubeObject,
  old: KubeObject | undefined,
  dryRun: boolean,
): readonly FieldError[] | string {
  const spec = mapOf(service['spec']);
  if (spec['type'] === 'ExternalName') return [];
  const found = new Problems();
  validateForm(spec, found);
  if (found.list.length === 0) validateFamilies(spec, found);
  if (found.list.length === 0 && old === undefined) validateRange(spec, dryRun, found);
  if (found.list.length > 0 || old === undefined || !needsPorts(spec)) return found.list;
  return repeatedPort(mapsOf(spec['ports']));
}

function validateForm(spec: JsonObject, found: Problems): void {
  const address = textOf(spec['clusterIP']);
  const addresses = listOf(spec['clusterIPs']);
  if (address === '' && addresses.length > 0)
    found.invalid('spec.clusterIPs', addresses, 'must be empty when `clusterIP` is not specified');
  else if (address !== '' && addresses.length === 0) found.required('spec.clusterIPs');
  else if (address !== textOf(addresses[0]))
    found.invalid('spec.clusterIPs', addresses, 'first value must match `clusterIP`');
  for (const [index, family] of listOf(spec['ipFamilies']).entries())
    found.oneOf(`spec.ipFamilies[${index}]`, family, FAMILIES);
  found.oneOfIfAny('spec.ipFamilyPolicy', spec['ipFamilyPolicy'], POLICIES);
  for (const [index, one] of addresses.entries()) {
    const text = textOf(one);
    if ((index > 0 || text !== 'None') && !isIPv4(text) && !isIPv6(text))
      found.invalid(`spec.clusterIPs[${index}]`, text, IP_TEXT);
  }
}

/** Validates IP families: the cluster is single-stack, and only headless services without a selector may request another family. */
function validateFamilies(spec: JsonObject, found: Problems): void {
  if (spec['clusterIP'] === 'None' && Object.keys(mapOf(spec['selector'])).length === 0) return;
  if (spec['ipFamilyPolicy'] === 'RequireDualStack')
    found.invalid('spec.ipFamilyPolicy', 'RequireDualStack', 'this cluster is not configured for dual-stack services');
  for (const [index, family] of listOf(spec['ipFamilies']).entries())
    if (family === 'IPv6') found.invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster');
}

/** Validates addresses. In a dry run the message differs, because a real server then checks against its only range. */
function validateRange(spec: JsonObject, dryRun: boolean, found: Problems): void {
  const addresses = listOf(spec['clusterIPs']);
  for (const text of addresses.map(textOf))
    if (isIPv4(text) && !text.startsWith('10.0.0.'))
      found.invalid(
        'spec.clusterIPs',
        addresses,
        dryRun
          ? `failed to allocate IP ${text}: the provided IP (${text}) is not in the valid range. The range of valid IPs is 10.0.0.0/24`
          : `failed to allocate IP ${text}: the provided network does not match the current range`,
      );
}

function repeatedPort(ports: readonly JsonObject[]): readonly FieldError[] | string {
  const seen = new Set<string>();
  for (const { protocol, nodePort } of ports) {
    if (nodePort === undefined || nodePort === 0) continue;
    const port = `{${textOf(protocol)} ${shown(nodePort)}}`;
    if (seen.has(port)) return `duplicate nodePort: ${port}`;
    seen.add(port);
  }
  return [];
}
