/**
 * Finds the binaries of a real control plane.
 *
 * Owns: the pinned versions, the cache folder, envtest's variables (`KUBEBUILDER_ASSETS`, `TEST_ASSET_*`) and its store, and the message
 * when nothing is found. Does not own: building (`scripts/control-plane.ts`). Start at {@link findControlPlane}.
 */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ApiServerError } from '../../objects/errors.ts';
import type { EnvVars } from '../../processes/env-vars.ts';

/** The version that the embedded API server is compared with. */
export const KUBERNETES_VERSION = 'v1.36.3';
export const ETCD_VERSION = 'v3.6.16';
/** The connection fault proxy. */
export const TOXIPROXY_VERSION = 'v2.12.0';

/** Fakes ready nodes and running pods. */
export const KWOK_VERSION = 'v0.8.0';

export type Program =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'kwok'
  | 'toxiproxy-server';

/** Optional parts of the control plane. */
export type PartProgram = 'kube-controller-manager' | 'kube-scheduler' | 'kwok';

/** All programs, in the order in which they are built. */
export const PROGRAMS: readonly Program[] = [
  'toxiproxy-server',
  'etcd',
  'kube-apiserver',
  'kubectl',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
];

/** The command that installs etcd and kube-apiserver where Go is available. */
const FETCH = 'go run sigs.k8s.io/controller-runtime/tools/setup-envtest@latest use 1.36';

const VARIABLES: { readonly [program in Program]: string } = {
  etcd: 'TEST_ASSET_ETCD',
  'kube-apiserver': 'TEST_ASSET_KUBE_APISERVER',
  'kube-controller-manager': 'TEST_ASSET_KUBE_CONTROLLER_MANAGER',
  'kube-scheduler': 'TEST_ASSET_KUBE_SCHEDULER',
  kubectl: 'TEST_ASSET_KUBECTL',
  kwok: 'TEST_ASSET_KWOK',
  'toxiproxy-server': 'TOXIPROXY_SERVER',
};

/** Returns the folder of this user's cache of built binaries. */
export function userCache(environment: EnvVars = process.env): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'stalemate');
}

/** Returns where the build keeps binaries: one folder per pair of versions; toxiproxy and kwok have folders of their own. */
export function cacheFolder(environment: EnvVars = process.env, program?: Program): string {
  const cache = userCache(environment);
  if (program === 'toxiproxy-server') return join(cache, 'toxiproxy', TOXIPROXY_VERSION);
  if (program === 'kwok') return join(cache, 'kwok', KWOK_VERSION);
  return join(cache, 'control-plane', `${KUBERNETES_VERSION}-etcd-${ETCD_VERSION}`);
}

/** Returns the folders in which setup-envtest keeps binaries: one per version, the newest first. */
function storeFolders(environment: EnvVars): readonly string[] {
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
 * Finds a program: by its environment variable, in envtest's folder, in the build's cache or in setup-envtest's store. Undefined if it is
 * in none.
 */
export function findProgram(program: Program, environment: EnvVars = process.env): string | undefined {
  const named = environment[VARIABLES[program]];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new ApiServerError(
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

/** Returns the path of kubectl: what {@link findProgram} finds, otherwise the first one on PATH. */
export function findKubectl(environment: EnvVars = process.env): string | undefined {
  return findProgram('kubectl', environment) ?? onPath('kubectl', environment);
}

/** Returns the path of toxiproxy-server: what {@link findProgram} finds, otherwise the first one on PATH. */
export function findToxiproxy(environment: EnvVars = process.env): string | undefined {
  return findProgram('toxiproxy-server', environment) ?? onPath('toxiproxy-server', environment);
}

/** Returns the hint for a missing toxiproxy-server. */
export function missingToxiproxyText(environment: EnvVars = process.env): string {
  return (
    `found no toxiproxy-server on PATH or in ${cacheFolder(environment, 'toxiproxy-server')}; ` +
    `install toxiproxy ${TOXIPROXY_VERSION}, or name one with --toxiproxy PATH, or build it once in a clone of stalemate (needs Go, half a minute): node scripts/control-plane.ts build toxiproxy-server`
  );
}

function onPath(program: Program, environment: EnvVars): string | undefined {
  const paths = (environment['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program));
  return paths.find((path) => existsSync(path));
}

export interface ControlPlaneBinaries {
  readonly etcd: string;
  readonly apiserver: string;
  /** The paths of the optional parts; undefined for each missing part. Envtest's folders contain none of them. */
  readonly parts: { readonly [part in PartProgram]: string | undefined };
}

/** Finds all binaries. @throws {CLUSTER_UNAVAILABLE} with the commands to run, when etcd or kube-apiserver is missing. */
export function findControlPlane(environment: EnvVars = process.env): ControlPlaneBinaries {
  const etcd = findProgram('etcd', environment);
  const apiserver = findProgram('kube-apiserver', environment);
  if (etcd === undefined || apiserver === undefined) {
    const missing = [etcd === undefined ? 'etcd' : '', apiserver === undefined ? 'kube-apiserver' : ''].filter(Boolean);
    throw new ApiServerError('CLUSTER_UNAVAILABLE', missingText(missing.join(' and '), environment));
  }
  const part = (program: PartProgram): string | undefined => findProgram(program, environment);
  return {
    etcd,
    apiserver,
    parts: {
      'kube-controller-manager': part('kube-controller-manager'),
      'kube-scheduler': part('kube-scheduler'),
      kwok: part('kwok'),
    },
  };
}

/** Returns the hint for missing optional parts, which setup-envtest does not provide. */
export function missingPartsText(missing: readonly PartProgram[], environment: EnvVars = process.env): string {
  const names = missing.map((part) => `${part} (or ${VARIABLES[part]})`).join(' and no ');
  return (
    `found no ${names} in KUBEBUILDER_ASSETS or ${[...new Set(missing.map((part) => cacheFolder(environment, part)))].join(' or ')}, ` +
    'which setup-envtest does not fetch; name those that you have, or build them once in a clone of stalemate (needs Go, about two minutes):\n' +
    `  node scripts/control-plane.ts build ${missing.join(' ')}`
  );
}

/** Returns the hint for missing programs. */
export function missingText(missing: string, environment: EnvVars = process.env): string {
  const assets = environment['KUBEBUILDER_ASSETS'];
  return (
    `found no ${missing} in ${assets === undefined || assets === '' ? '' : `KUBEBUILDER_ASSETS (${assets}) or `}${cacheFolder(environment)} or setup-envtest's store, ` +
    "expected the binaries of a control plane; either fetch envtest's (needs Go):\n" +
    `  ${FETCH}\n` +
    'or build them once in a clone of stalemate (needs Go, about five minutes):\n' +
    '  node scripts/control-plane.ts build'
  );
}
