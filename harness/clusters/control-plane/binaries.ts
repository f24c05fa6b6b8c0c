/**
 * Where the programs of a real control plane are.
 *
 * Owns: the pinned versions, the cache folder, envtest's variables (`KUBEBUILDER_ASSETS`, `TEST_ASSET_*`) and its store, and what to say
 * when nothing is found. Does not own: building (`scripts/control-plane.ts`). Start at {@link findControlPlane}.
 */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { HarnessError } from '../../model/errors.ts';

/** What the embedded API server is compared with. */
export const KUBERNETES_VERSION = 'v1.36.3';
export const ETCD_VERSION = 'v3.6.16';
/** What disturbs connections. */
export const TOXIPROXY_VERSION = 'v2.12.0';

export type Program = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kubectl' | 'toxiproxy-server';

/** In the order in which they are worth building. */
export const PROGRAMS: readonly Program[] = [
  'toxiproxy-server',
  'etcd',
  'kube-apiserver',
  'kubectl',
  'kube-controller-manager',
];

type Environment = { readonly [name: string]: string | undefined };

const VARIABLES: { readonly [program in Program]: string } = {
  etcd: 'TEST_ASSET_ETCD',
  'kube-apiserver': 'TEST_ASSET_KUBE_APISERVER',
  'kube-controller-manager': 'TEST_ASSET_KUBE_CONTROLLER_MANAGER',
  kubectl: 'TEST_ASSET_KUBECTL',
  'toxiproxy-server': 'TOXIPROXY_SERVER',
};

/** Where the build keeps its binaries: one folder per pair of versions; toxiproxy has one of its own. */
export function cacheFolder(environment: Environment = process.env, program?: Program): string {
  const cache = environment['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  if (program === 'toxiproxy-server') return join(cache, 'stalemate', 'toxiproxy', TOXIPROXY_VERSION);
  return join(cache, 'stalemate', 'control-plane', `${KUBERNETES_VERSION}-etcd-${ETCD_VERSION}`);
}

/** Where setup-envtest keeps binaries: one folder per version, the newest first. */
function storeFolders(environment: Environment): readonly string[] {
  const home = environment['HOME'] || homedir();
  const store =
    process.platform === 'darwin'
      ? join(home, 'Library', 'Application Support', 'io.kubebuilder.envtest', 'k8s')
      : join(environment['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'kubebuilder-envtest', 'k8s');
  if (!existsSync(store)) return [];
  return readdirSync(store)
    .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((version) => join(store, version));
}

/**
 * A program to run: what its variable names, what envtest's folder holds, what was built, what setup-envtest has fetched; undefined when
 * none is there.
 */
export function findProgram(program: Program, environment: Environment = process.env): string | undefined {
  const named = environment[VARIABLES[program]];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new HarnessError(
      'CLUSTER_UNAVAILABLE',
      `got ${VARIABLES[program]}="${named}", which does not exist, expected the path of a ${program} binary; correct or unset it`,
    );
  }
  const assets = environment['KUBEBUILDER_ASSETS'];
  const folders = [
    ...(assets === undefined || assets === '' ? [] : [assets]),
    cacheFolder(environment, program),
    ...storeFolders(environment),
  ];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** A kubectl to run: as {@link findProgram}, else the first on PATH. */
export function findKubectl(environment: Environment = process.env): string | undefined {
  return findProgram('kubectl', environment) ?? onPath('kubectl', environment);
}

/** A toxiproxy server to run: as {@link findProgram}, else the first on PATH. */
export function findToxiproxy(environment: Environment = process.env): string | undefined {
  return findProgram('toxiproxy-server', environment) ?? onPath('toxiproxy-server', environment);
}

/** What to do when there is none. */
export function missingToxiproxyText(environment: Environment = process.env): string {
  return (
    `found no toxiproxy-server on PATH or in ${cacheFolder(environment, 'toxiproxy-server')}; ` +
    'either build it once (needs Go, half a minute): node scripts/control-plane.ts build toxiproxy-server, or name one with --toxiproxy PATH'
  );
}

function onPath(program: Program, environment: Environment): string | undefined {
  const paths = (environment['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program));
  return paths.find((path) => existsSync(path));
}

export interface ControlPlaneBinaries {
  readonly etcd: string;
  readonly apiserver: string;
  /** Absent in envtest's folders. */
  readonly controllerManager: string | undefined;
}

/** @throws {CLUSTER_UNAVAILABLE} with the commands that help, when etcd or kube-apiserver is nowhere. */
export function findControlPlane(environment: Environment = process.env): ControlPlaneBinaries {
  const etcd = findProgram('etcd', environment);
  const apiserver = findProgram('kube-apiserver', environment);
  if (etcd === undefined || apiserver === undefined) {
    const missing = [etcd === undefined ? 'etcd' : '', apiserver === undefined ? 'kube-apiserver' : ''].filter(Boolean);
    throw new HarnessError('CLUSTER_UNAVAILABLE', missingText(missing.join(' and '), environment));
  }
  return { etcd, apiserver, controllerManager: findProgram('kube-controller-manager', environment) };
}

/** What to do about programs that are not there. */
export function missingText(missing: string, environment: Environment = process.env): string {
  const assets = environment['KUBEBUILDER_ASSETS'];
  return (
    `found no ${missing} in ${assets === undefined || assets === '' ? '' : `KUBEBUILDER_ASSETS (${assets}) or `}${cacheFolder(environment)} or setup-envtest's store, ` +
    'expected the binaries of a control plane; either build them once (needs Go, about five minutes):\n' +
    '  node scripts/control-plane.ts build\n' +
    "or fetch envtest's:\n" +
    '  go run sigs.k8s.io/controller-runtime/tools/setup-envtest@latest use 1.36'
  );
}
