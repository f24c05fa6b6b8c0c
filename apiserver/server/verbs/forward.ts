/**
 * Requests that a real server proxies to a kubelet, a pod or a service: logs, exec, attach, port-forward, proxy.
 *
 * Owns: the answers without a kubelet. Declared answers (`kubelet/declared.ts`) are returned as if by a kubelet, once the pod runs. Nothing
 * is ever proxied.
 */
import type { KubeObject } from '../../objects/object.ts';
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import { headersOf } from '../../wire/declared-http.ts';
import { isList, isMap, valueAt } from '../../objects/json.ts';
import type { Container, Undeclared } from '../kubelet/declared.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
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

/** Answers a request on a subresource that a real server proxies; undefined for other requests. */
export function forward(kernel: Kernel, call: Call): ApiResponse | undefined {
  const { definition, namespace, name, subresource } = call.route;
  const object = kernel.store.get(definition.gr, rowKey(namespace, name));
  switch (`${definition.gr}/${subresource}`) {
    case 'pods/log':
      return logOptions(call) ?? (object === undefined ? notFound(definition, name) : log(kernel, call, object));
    case 'pods/exec':
    case 'pods/attach':
      return object === undefined ? notFound(definition, name) : command(kernel, call, object);
    case 'pods/portforward':
      return object === undefined ? notFound(definition, name) : ports(kernel, call, object);
    case 'pods/proxy':
      return object === undefined ? notFound(definition, name) : badRequest('address not allowed');
    case 'nodes/proxy':
      return object === undefined ? notFound(definition, name) : NO_ADDRESS;
    case 'services/proxy':
      return service(kernel, call);
    default:
      return undefined;
  }
}

const NO_ADDRESS = rawError('no preferred addresses found; known addresses: []');

/** Answers a proxied request to a service. The name is `name`, `name:port` or `scheme:name:port`, followed by the rest of the path. */
function service(kernel: Kernel, call: Call): ApiResponse {
  const { definition, namespace } = call.route;
  const parts = call.route.name.split(':');
  const [name = '', port = ''] = parts.length === 3 ? parts.slice(1) : parts;
  if (kernel.store.get(definition.gr, rowKey(namespace, name)) === undefined) return notFound(definition, name);
  const { method } = call.request;
  const path = pathBehind(call.request);
  const answer = kernel.kubelet.service({ namespace, service: name, port }, { method, path });
  if (answer === undefined) {
    kernel.kubelet.miss({ what: 'serviceProxy', namespace, name, of: `${method} ${path}`, command: '' });
    return refuse(
      503,
      'ServiceUnavailable',
      `no endpoints available for service "${call.route.name}"`,
      detailsOf(definition, name),
    );
  }
  return { code: answer.status ?? 200, headers: headersOf(answer), body: answer.body ?? '', plainText: true };
}

function pathBehind({ path, query, repeated = {} }: ApiRequest): string {
  const behind = /\/proxy(\/.*)?$/.exec(path.replace(/^.*?\/services\/[^/]+(?=\/proxy)/, ''))?.[1] ?? '/';
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    (repeated[key] ?? [value]).map((one): [string, string] => [key, one]),
  );
  return pairs.length === 0 ? behind : `${behind}?${new URLSearchParams(pairs).toString()}`;
}

/** Returns the errors in the query of `/log`. */
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

/** Answers with the log of a pod; a pod without a node has no log. */
function log(kernel: Kernel, call: Call, pod: KubeObject): ApiResponse {
  const { request, route } = call;
  const unclear = chosenContainer(call, pod);
  if (unclear !== undefined) return unclear;
  if (hostOf(pod) === '' && !isRunning(pod)) return { code: 204, body: '', plainText: true };
  const of = containerOf(call, pod);
  const previous = isTrue(request.query['previous']);
  const declared = kernel.kubelet.log(of, previous);
  if (declared === undefined) return onHost(kernel, call, pod);
  if (!hasRun(pod))
    return badRequest(
      `container "${of.container}" in pod "${route.name}" is waiting to start: ${waitingFor(pod, of.container)}`,
    );
  const text = shown(declared.text, request.query, kernel.timestamp());
  return isTrue(request.query['follow']) && isRunning(pod)
    ? { code: 200, body: '', session: { type: 'log', text } }
    : { code: 200, body: text, plainText: true, headers: { 'content-type': 'text/plain' } };
}

function shown(text: string, { tailLines, limitBytes, timestamps }: ApiRequest['query'], now: string): string {
  let lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  if (tailLines !== undefined && tailLines !== '') lines = lines.slice(Math.max(0, lines.length - Number(tailLines)));
  if (isTrue(timestamps)) lines = lines.map((line) => `${now} ${line}`);
  const all = lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  if (limitBytes === undefined || limitBytes === '') return all;
  return Buffer.from(all).subarray(0, Number(limitBytes)).toString();
}

function command(kernel: Kernel, call: Call, pod: KubeObject): ApiResponse {
  const { request, route } = call;
  const unclear = chosenContainer(call, pod);
  if (unclear !== undefined) return unclear;
  const { query, repeated = {} } = request;
  const words = repeated['command'] ?? (query['command'] === undefined ? [] : [query['command']]);
  const of = containerOf(call, pod);
  const text = words.join(' ');
  const what = route.subresource === 'attach' ? 'attach' : 'exec';
  const run = what === 'exec' ? kernel.kubelet.command(of, text) : undefined;
  if (run === undefined) return undeclared(kernel, call, pod, { what, of: of.container, command: text });
  // A pod with status Running is assumed to run, even without a node.
  if (!isRunning(pod))
    return hostOf(pod) === '' ? onHost(kernel, call, pod) : rawError(`container not found ("${of.container}")`);
  const [stdin, stdout, stderr, tty] = ['stdin', 'stdout', 'stderr', 'tty'].map((key) => isTrue(query[key]));
  if (stdin !== true && stdout !== true && stderr !== true)
    return badRequest('you must specify at least one of stdin, stdout, stderr');
  // A command without input runs at once, even if the client never receives its output.
  const result = stdin === true ? undefined : run('', true);
  return {
    code: 101,
    body: '',
    session: {
      type: 'command',
      command: words,
      stdin: stdin === true,
      stdout: stdout === true,
      stderr: stderr === true,
      tty: tty === true,
      run: result === undefined ? run : () => result,
    },
  };
}

function ports(kernel: Kernel, call: Call, pod: KubeObject): ApiResponse {
  const { namespace, name } = call.route;
  const { query, repeated = {} } = call.request;
  const given = repeated['ports'] ?? (query['ports'] === undefined ? [] : [query['ports']]);
  const asked = given.flatMap((one) => one.split(',')).map(Number);
  const of = { namespace, pod: name };
  const { kubelet } = kernel;
  if (!kubelet.hasPorts(of))
    return undeclared(kernel, call, pod, { what: 'portForward', of: asked.join(','), command: '' });
  if (!isRunning(pod) && hostOf(pod) === '') return onHost(kernel, call, pod);
  if (!isRunning(pod))
    return rawError(`unable to forward port because pod is not running. Current status=${phaseOf(pod)}`);
  return {
    code: 101,
    body: '',
    session: {
      type: 'ports',
      pod: name,
      ports: asked,
      speechOf: (port) => {
        const speech = kubelet.port(of, port);
        if (speech === undefined) kubelet.miss({ what: 'portForward', namespace, name, of: String(port), command: '' });
        return speech;
      },
    },
  };
}

/** Returns the answer of a cluster without kubelets, and records the undeclared request. */
function undeclared(
  kernel: Kernel,
  call: Call,
  pod: KubeObject,
  about: Pick<Undeclared, 'what' | 'of' | 'command'>,
): ApiResponse {
  const { namespace, name } = call.route;
  kernel.kubelet.miss({ namespace, name, ...about });
  return onHost(kernel, call, pod);
}

function namesIn(pod: KubeObject, key: string): readonly string[] {
  const list = valueAt(pod, ['spec', key]);
  return (isList(list) ? list : []).flatMap((one) =>
    isMap(one) && typeof one['name'] === 'string' ? [one['name']] : [],
  );
}

/** Returns the error response if the container is ambiguous or unknown; otherwise undefined. */
function chosenContainer({ request, route }: Call, pod: KubeObject): ApiResponse | undefined {
  const containers = namesIn(pod, 'containers');
  const first = namesIn(pod, 'initContainers');
  const { container = '' } = request.query;
  if (container !== '') {
    const known = [...containers, ...first, ...namesIn(pod, 'ephemeralContainers')].includes(container);
    return known ? undefined : badRequest(`container ${container} is not valid for pod ${route.name}`);
  }
  if (containers.length === 1 || pod.metadata.annotations?.[DEFAULT_CONTAINER] !== undefined) return undefined;
  const others = first.length === 0 ? '' : ` or one of the init containers: [${first.join(' ')}]`;
  return badRequest(
    `a container name must be specified for pod ${route.name}, choose one of: [${containers.join(' ')}]${others}`,
  );
}

const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';

/** Returns the container that the request names, otherwise the pod's default container. */
function containerOf({ request, route }: Call, pod: KubeObject): Container {
  const { container = '' } = request.query;
  const own = pod.metadata.annotations?.[DEFAULT_CONTAINER] ?? namesIn(pod, 'containers')[0] ?? '';
  return { namespace: route.namespace, pod: route.name, container: container === '' ? own : container };
}

function hostOf(pod: KubeObject): string {
  const host = valueAt(pod, ['spec', 'nodeName']);
  return typeof host === 'string' ? host : '';
}

function phaseOf(pod: KubeObject): string {
  const phase = valueAt(pod, ['status', 'phase']);
  return typeof phase === 'string' ? phase : '';
}

function isRunning(pod: KubeObject): boolean {
  return phaseOf(pod) === 'Running';
}

function hasRun(pod: KubeObject): boolean {
  return ['Running', 'Succeeded', 'Failed'].includes(phaseOf(pod));
}

function waitingFor(pod: KubeObject, container: string): string {
  const statuses = valueAt(pod, ['status', 'containerStatuses']);
  const own = (isList(statuses) ? statuses : []).find((one) => isMap(one) && one['name'] === container);
  const reason = valueAt(own, ['state', 'waiting', 'reason']);
  return typeof reason === 'string' ? reason : 'ContainerCreating';
}

/** Reports whether a boolean parameter is true in Go's parsing. */
function isTrue(text: string | undefined): boolean {
  return text !== undefined && text !== '0' && text.toLowerCase() !== 'false';
}

/** Returns the answer of a server that cannot reach the kubelet of the pod's node. */
function onHost(kernel: Kernel, { route }: Call, pod: KubeObject): ApiResponse {
  const host = hostOf(pod);
  if (host === '') return badRequest(`pod ${route.name} does not have a host assigned`);
  // A missing node is reported as if the pod were missing.
  return kernel.store.get('nodes', rowKey('', host)) === undefined ? notFound(route.definition, host) : NO_ADDRESS;
}
