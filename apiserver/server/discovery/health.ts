/** `/healthz`, `/livez` and `/readyz`: the list of checks and the output format. All checks always pass. */
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import { UNKNOWN_PATH } from '../refusal.ts';

const HOOKS = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'max-in-flight-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'peer-endpoint-reconciler-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
];
const AFTER = [
  'autoregister-completion',
  ...hooks(['apiservice-openapi-controller', 'apiservice-openapiv3-controller']),
];

function hooks(names: readonly string[]): readonly string[] {
  return names.map((name) => `poststarthook/${name}`);
}

const ALIVE = ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...hooks(HOOKS), ...AFTER];
const READY = ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...hooks(HOOKS), ...AFTER, 'shutdown'];

/** The checks of each path. */
export const CHECKS: { readonly [name: string]: readonly string[] } = { healthz: ALIVE, livez: ALIVE, readyz: READY };

/** Answers a path under one of the three endpoints; undefined for other paths. */
export function health(path: string, request: ApiRequest): ApiResponse | undefined {
  const [name = '', ...rest] = path.slice(1).split('/');
  const checks = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
  if (checks === undefined) return undefined;
  if (rest.length > 0) return checks.includes(rest.join('/')) ? text('ok') : UNKNOWN_PATH;
  const { verbose, exclude } = request.query;
  if (verbose === undefined) return text('ok');
  const lines = checks.map((check) => (check === exclude ? `[+]${check} excluded: ok` : `[+]${check} ok`));
  const unmatched = exclude === undefined || exclude === '' || checks.includes(exclude);
  if (!unmatched) lines.push(`warn: some health checks cannot be excluded: no matches for "${exclude}"`);
  return text(`${lines.join('\n')}\n${name} check passed\n`);
}

function text(body: string): ApiResponse {
  return { code: 200, plainText: true, body };
}
