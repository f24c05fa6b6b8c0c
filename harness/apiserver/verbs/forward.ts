/**
 * What a real server passes on to a kubelet, a pod or a service: logs, exec, attach, port-forward, proxy.
 *
 * Owns: how far such a request gets where no kubelet runs, and what it is told. Nothing is ever passed on.
 */
import type { KubeObject } from '../../model/object.ts';
import type { ApiResponse } from '../../wire/http.ts';
import { isList, isMap, valueAt } from '../../model/json.ts';
import type { Call, Kernel } from '../kernel.ts';
import {
  badRequest,
  detailsOf,
  fieldInvalid,
  invalid,
  notFound,
  rawError,
  refuse,
  type FieldError,
} from '../refusal.ts';
import { rowKey } from '../store.ts';

const INTEGER = /^[+-]?\d+$/;

/** Answers one of these subresources; undefined for others. */
export function forward(kernel: Kernel, call: Call): ApiResponse | undefined {
  const { definition, namespace, name, subresource } = call.route;
  const object = kernel.store.get(definition.gr, rowKey(namespace, name));
  switch (`${definition.gr}/${subresource}`) {
    case 'pods/log':
      return logOptions(call) ?? (object === undefined ? notFound(definition, name) : log(kernel, call, object));
    case 'pods/exec':
    case 'pods/attach':
      if (object === undefined) return notFound(definition, name);
      return chosenContainer(call, object) ?? onHost(kernel, call, object);
    case 'pods/portforward':
      return object === undefined ? notFound(definition, name) : onHost(kernel, call, object);
    case 'pods/proxy':
      return object === undefined ? notFound(definition, name) : badRequest('address not allowed');
    case 'nodes/proxy':
      return object === undefined ? notFound(definition, name) : NO_ADDRESS;
    case 'services/proxy':
      return object === undefined ? notFound(definition, name) : noEndpoints(call);
    default:
      return undefined;
  }
}

const NO_ADDRESS = rawError('no preferred addresses found; known addresses: []');

function noEndpoints(call: Call): ApiResponse {
  const { definition, name } = call.route;
  return refuse(503, 'ServiceUnavailable', `no endpoints available for service "${name}"`, detailsOf(definition, name));
}

/** What is wrong with the query of `/log`. */
function logOptions({ request, route }: Call): ApiResponse | undefined {
  const errors: FieldError[] = [];
  for (const [key, least, words] of [
    ['sinceSeconds', 1, 'must be greater than 0'],
    ['tailLines', 0, 'must be greater than or equal to 0'],
    ['limitBytes', 1, 'must be greater than 0'],
  ] as const) {
    const text = request.query[key];
    if (text === undefined || text === '') continue;
    if (!INTEGER.test(text)) return badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    if (Number(text) < least) errors.push(fieldInvalid(key, Number(text), words));
  }
  return errors.length === 0 ? undefined : invalid({ group: '', kind: 'PodLogOptions' }, route.name, errors);
}

/** A pod that runs nowhere has logged nothing. */
function log(kernel: Kernel, call: Call, pod: KubeObject): ApiResponse {
  const unclear = chosenContainer(call, pod);
  if (unclear !== undefined) return unclear;
  return hostOf(pod) === '' ? { code: 204, body: '', plainText: true } : onHost(kernel, call, pod);
}

function namesIn(pod: KubeObject, key: string): readonly string[] {
  const list = valueAt(pod, ['spec', key]);
  return (isList(list) ? list : []).flatMap((one) =>
    isMap(one) && typeof one['name'] === 'string' ? [one['name']] : [],
  );
}

/** Undefined when it is clear which container is meant. */
function chosenContainer({ request, route }: Call, pod: KubeObject): ApiResponse | undefined {
  const containers = namesIn(pod, 'containers');
  const first = namesIn(pod, 'initContainers');
  const { container = '' } = request.query;
  if (container !== '') {
    const known = [...containers, ...first, ...namesIn(pod, 'ephemeralContainers')].includes(container);
    return known ? undefined : badRequest(`container ${container} is not valid for pod ${route.name}`);
  }
  if (containers.length === 1 || pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'] !== undefined)
    return undefined;
  const others = first.length === 0 ? '' : ` or one of the init containers: [${first.join(' ')}]`;
  return badRequest(
    `a container name must be specified for pod ${route.name}, choose one of: [${containers.join(' ')}]${others}`,
  );
}

function hostOf(pod: KubeObject): string {
  const host = valueAt(pod, ['spec', 'nodeName']);
  return typeof host === 'string' ? host : '';
}

/** What comes of asking the kubelet of the pod's node. */
function onHost(kernel: Kernel, { route }: Call, pod: KubeObject): ApiResponse {
  const host = hostOf(pod);
  if (host === '') return badRequest(`pod ${route.name} does not have a host assigned`);
  // The error of the node comes out as if it were the pod's.
  return kernel.store.get('nodes', rowKey('', host)) === undefined ? notFound(route.definition, host) : NO_ADDRESS;
}
