/**
 * Reads one context of a kubeconfig that the user names, as an address with credentials.
 *
 * Owns: reading the file as client-go does, and reporting unsupported settings. Never searches for a file: neither `KUBECONFIG` nor a home
 * folder nor a pod's service account is used. Start at {@link readKubeconfig}.
 */
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { isMap } from 'stalemate-apiserver/objects/json';
import { readFileText, Unreadable } from '../../report/read-files.ts';
import type { RemoteOptions } from '../../gate/http/remote.ts';
import { HarnessError } from '../../model/errors.ts';

/** A context of a kubeconfig. */
export interface ClusterAccess {
  readonly context: string;
  readonly namespace: string;
  readonly remote: RemoteOptions;
}

interface Named {
  readonly name?: unknown;
  readonly [key: string]: unknown;
}

type Section = { readonly [key: string]: unknown };

/**
 * Reads one context, by default the current one.
 *
 * @throws {CONFIG_INVALID} if the file cannot be read, has no such context, or requires something unsupported.
 */
export function readKubeconfig(path: string, context?: string): ClusterAccess {
  const file = resolve(path);
  const document = documentOf(file);
  const name = context ?? textOf(document, 'current-context');
  const contexts = listOf(document, 'contexts');
  const chosen = entryOf(contexts, name, 'context');
  if (name === undefined || chosen === undefined) {
    const names = contexts.map((one) => `"${String(one.name)}"`).join(', ');
    throw invalid(file, `has no context "${name ?? ''}", expected one of ${names || 'none'}; name one with --context`);
  }
  const clusterName = textOf(chosen, 'cluster') ?? '';
  const cluster = entryOf(listOf(document, 'clusters'), clusterName, 'cluster');
  const server = cluster === undefined ? undefined : textOf(cluster, 'server');
  if (cluster === undefined || server === undefined || !/^https?:\/\/./.test(server))
    throw invalid(file, `names no server for cluster "${clusterName}", expected an http(s) URL; correct it`);
  const userName = textOf(chosen, 'user') ?? '';
  const user = entryOf(listOf(document, 'users'), userName, 'user') ?? {};
  for (const [section, key] of [
    ...UNSUPPORTED_OF_CLUSTER.map((key) => [cluster, key] as const),
    ...UNSUPPORTED_OF_USER.map((key) => [user, key] as const),
  ])
    if (section[key] !== undefined && section[key] !== '')
      throw invalid(file, `uses "${key}", which is not supported; give a token or a client certificate instead`);
  return {
    context: name,
    namespace: textOf(chosen, 'namespace') ?? 'default',
    remote: remoteOf(file, server, cluster, user),
  };
}

const UNSUPPORTED_OF_CLUSTER = ['proxy-url'] as const;
const UNSUPPORTED_OF_USER = ['exec', 'auth-provider', 'as', 'as-uid', 'as-groups', 'as-user-extra'] as const;

function remoteOf(file: string, url: string, cluster: Section, user: Section): RemoteOptions {
  const ca = pemOf(file, cluster, 'certificate-authority');
  const certificate = pemOf(file, user, 'client-certificate');
  const key = pemOf(file, user, 'client-key');
  const serverName = textOf(cluster, 'tls-server-name');
  const authorization = authorizationOf(file, user);
  return {
    url,
    ...(ca === undefined ? {} : { ca }),
    ...(cluster['insecure-skip-tls-verify'] === true ? { insecure: true } : {}),
    ...(serverName === undefined ? {} : { serverName }),
    ...(certificate === undefined || key === undefined ? {} : { clientCertificate: { certificate, key } }),
    ...(authorization === undefined ? {} : { authorization }),
  };
}

/**
 * Returns a function for the Authorization header. A token file takes precedence over a token, as in the transport of client-go, and is
 * read for every request because it may change.
 */
function authorizationOf(file: string, user: Section): (() => string) | undefined {
  const token = textOf(user, 'token');
  const tokenFile = textOf(user, 'tokenFile');
  const [name, password] = [textOf(user, 'username'), textOf(user, 'password')];
  if (tokenFile !== undefined) {
    const path = resolve(dirname(file), tokenFile);
    readText(path, 'token file');
    return () => `Bearer ${readText(path, 'token file').trim()}`;
  }
  if (token !== undefined) return () => `Bearer ${token}`;
  if (name === undefined) return undefined;
  const basic = `Basic ${Buffer.from(`${name}:${password ?? ''}`).toString('base64')}`;
  return () => basic;
}

/** Returns PEM that is inline, or from a file whose path is relative to the kubeconfig. */
function pemOf(file: string, section: Section, key: string): string | undefined {
  const data = textOf(section, `${key}-data`);
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  const path = textOf(section, key);
  return path === undefined ? undefined : readText(resolve(dirname(file), path), key);
}

function documentOf(file: string): Section {
  const text = readText(file, 'kubeconfig');
  let document: unknown;
  try {
    document = parse(text, { stringKeys: true, logLevel: 'error' });
  } catch (error) {
    throw invalid(file, `is no YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isMap(document as never))
    throw invalid(file, 'is no kubeconfig, expected a map with clusters, users and contexts');
  return document as Section;
}

const BYTES_MAX = 16 * 1024 * 1024;

function readText(path: string, what: string): string {
  try {
    return readFileText(path, BYTES_MAX);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new HarnessError(
      'CONFIG_INVALID',
      `the ${what} "${path}" ${error.message}, expected a file; correct its path`,
    );
  }
}

function listOf(document: Section, key: string): readonly Named[] {
  const list = document[key];
  return Array.isArray(list) ? (list as readonly Named[]).filter((one) => typeof one === 'object' && one !== null) : [];
}

function entryOf(list: readonly Named[], name: string | undefined, kind: string): Section | undefined {
  const found = list.find((one) => one.name === name)?.[kind];
  return typeof found === 'object' && found !== null ? (found as Section) : undefined;
}

function textOf(section: Section, key: string): string | undefined {
  const value = section[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function invalid(file: string, problem: string): HarnessError {
  return new HarnessError('CONFIG_INVALID', `the kubeconfig "${file}" ${problem}`);
}
