/**
 * A real control plane on loopback: etcd, kube-apiserver and optionally kube-controller-manager, without nodes.
 *
 * Owns: flags, certificates, tokens, readiness. Does not own: the binaries (`binaries.ts`) and process lifetimes (`children.ts`). Its data
 * is deleted when it stops. Start at {@link startControlPlane}.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CertificateAuthority } from '../../server/http/certificates.ts';
import { freePorts } from '../../server/http/free-ports.ts';
import { realDelay, realNow } from '../../clock.ts';
import { ApiServerError } from '../../objects/errors.ts';
import type { UserInfo } from '../../wire/http.ts';
import { kubeconfigOf } from '../../wire/kubeconfig.ts';
import { CONTROL_PLANE, endLeft, scratchFolder } from '../../processes/scratch.ts';
import type { ControlPlaneOptions } from './options.ts';
import { findControlPlane, missingPartsText, type ControlPlaneBinaries } from './binaries.ts';
import { Children, logTail, type Child } from '../../processes/children.ts';
import { kwokConfiguration } from './kwok-stages.ts';
import { partFlags, partsOf } from './parts.ts';

export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  /** The certificate authority, as PEM. */
  readonly ca: string;
  /** The bearer token of a member of system:masters. */
  readonly token: string;
  readonly kubeconfig: string;
  readonly etcdUrl: string;
  readonly pids: readonly number[];
  readonly startMs: number;
  stop(): Promise<void>;
}

const TIMEOUT_MS = 60_000;
const POLL_MS = 20;
/** The number of attempts to start: ports are chosen before they are bound, so another process may take one first. */
const TRIES = 3;

/**
 * Starts a control plane and resolves when it is ready, after about two seconds.
 *
 * @throws {CLUSTER_UNAVAILABLE} when there are no binaries, or when a program exits or does not become ready.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = options.binaries ?? findControlPlane();
  const parts = partsOf(options);
  const missing = parts.filter((part) => binaries.parts[part] === undefined);
  if (missing.length > 0) throw new ApiServerError('CLUSTER_UNAVAILABLE', missingPartsText(missing));
  endLeft(CONTROL_PLANE);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(binaries, options);
    } catch (error) {
      if (attempt === TRIES || !(error instanceof ApiServerError) || !/address already in use/.test(error.message))
        throw error;
    }
  }
}

async function startOnce(binaries: ControlPlaneBinaries, options: ControlPlaneOptions): Promise<ControlPlane> {
  const began = realNow();
  const deadline = began + (options.timeoutMs ?? TIMEOUT_MS);
  const folder = scratchFolder(CONTROL_PLANE);
  const children = new Children(folder);
  try {
    const [etcdPort = 0, port = 0] = await freePorts(2);
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    const etcd = children.start('etcd', binaries.etcd, etcdFlags(folder, etcdUrl, options));
    const url = `https://127.0.0.1:${port}`;
    const token = randomBytes(16).toString('hex');
    const authority = new CertificateAuthority();
    const files = writeFiles(folder, authority, token, options.tokens);
    const flags = apiserverFlags(folder, etcdUrl, url, port, files, options);
    const apiserver = children.start('kube-apiserver', binaries.apiserver, flags);
    const ca = authority.certificate;
    await untilReady(`${url}/readyz`, { ca, token }, [etcd, apiserver], deadline);
    const pids = [etcd.pid, apiserver.pid];
    const kubeconfig = stringify(kubeconfigOf({ name: 'control-plane', server: url, ca, token }));
    const parts = partsOf(options);
    if (parts.length > 0) {
      const paths = { kubeconfig: join(folder, 'kubeconfig'), stages: join(folder, 'kwok.yaml') };
      writeFileSync(paths.kubeconfig, kubeconfig, { mode: 0o600 });
      writeFileSync(paths.stages, kwokConfiguration());
      const flags = partFlags({ ...files, ...paths });
      const started = parts.map((part) =>
        children.start(
          part,
          binaries.parts[part] ?? '',
          part === 'kube-controller-manager' ? merged(flags[part], options.managerArgs ?? []) : flags[part],
        ),
      );
      pids.push(...started.map(({ pid }) => pid));
      // The controller manager creates a service account in every namespace at startup.
      const account = `${url}/api/v1/namespaces/default/serviceaccounts/default`;
      const sign = options.controllerManager === true ? account : `${url}/readyz`;
      await untilReady(sign, { ca, token }, [etcd, apiserver, ...started], deadline);
    }
    const stop = (): Promise<void> => children.stop();
    const startMs = realNow() - began;
    return { url, ca, token, kubeconfig, etcdUrl, pids, startMs, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await children.stop();
    throw error;
  }
}

interface Files {
  readonly serviceAccountKey: string;
  readonly certificate: string;
  readonly key: string;
  readonly clientCa: string;
  readonly tokens: string;
}

function writeFiles(
  folder: string,
  authority: CertificateAuthority,
  token: string,
  tokens: ReadonlyMap<string, UserInfo> = new Map(),
): Files {
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  mkdirSync(join(folder, 'certificates'));
  const identity = authority.issueServer();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const users = [...tokens].map(
    ([text, { name, uid = name, groups }]) => `${text},${name},${uid},"${groups.join(',')}"`,
  );
  return {
    serviceAccountKey: write('service-accounts.key', privateKey.export({ type: 'sec1', format: 'pem' }).toString()),
    certificate: write('server.crt', identity.certificate),
    key: write('server.key', identity.key),
    clientCa: write('ca.crt', authority.certificate),
    tokens: write('tokens.csv', [`${token},admin,admin,"system:masters"`, ...users, ''].join('\n')),
  };
}

function etcdFlags(folder: string, url: string, { etcdArgs = [] }: ControlPlaneOptions): readonly string[] {
  return merged(
    [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      '--listen-peer-urls=http://127.0.0.1:0',
      // The data is deleted at the end anyway.
      '--unsafe-no-fsync',
    ],
    etcdArgs,
  );
}

function apiserverFlags(
  folder: string,
  etcdUrl: string,
  url: string,
  port: number,
  files: Files,
  { authorization = 'AlwaysAllow', featureGates = {}, apiserverArgs = [] }: ControlPlaneOptions,
): readonly string[] {
  const gates = Object.entries(featureGates).map(([name, on]) => `${name}=${on}`);
  return merged(
    [
      `--etcd-servers=${etcdUrl}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${join(folder, 'certificates')}`,
      `--tls-cert-file=${files.certificate}`,
      `--tls-private-key-file=${files.key}`,
      `--client-ca-file=${files.clientCa}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      `--service-account-issuer=${url}/`,
      `--service-account-key-file=${files.serviceAccountKey}`,
      `--service-account-signing-key-file=${files.serviceAccountKey}`,
      `--token-auth-file=${files.tokens}`,
      `--authorization-mode=${authorization}`,
      // Without kube-controller-manager the service accounts that this plugin requires do not exist (envtest disables it as well).
      '--disable-admission-plugins=ServiceAccount',
      '--allow-privileged=true',
      '--endpoint-reconciler-type=none',
      '--enable-priority-and-fairness=false',
      ...(gates.length === 0 ? [] : [`--feature-gates=${gates.join(',')}`]),
    ],
    apiserverArgs,
  );
}

/** Returns `ours` with the flags of `given`, which replace flags of the same name or are appended. */
function merged(ours: readonly string[], given: readonly string[]): readonly string[] {
  const nameOf = (flag: string): string => flag.split('=', 1)[0] ?? flag;
  const replaced = new Set(given.map(nameOf));
  return [...ours.filter((flag) => !replaced.has(nameOf(flag))), ...given];
}

/** Polls until the answer is 200, a program has exited, or the time limit is reached. */
async function untilReady(
  url: string,
  { ca, token }: { readonly ca: string; readonly token: string },
  children: readonly Child[],
  deadline: number,
): Promise<void> {
  for (;;) {
    if ((await statusOf(url, ca, token)) === 200) return;
    const dead = children.find((child) => child.ended() !== undefined);
    const late = realNow() > deadline;
    if (dead !== undefined || late) {
      const child = dead ?? children.at(-1);
      const what = dead === undefined ? 'was not ready in time' : `ended with ${dead.ended()} before it was ready`;
      throw new ApiServerError(
        'CLUSTER_UNAVAILABLE',
        `${child?.name} ${what}, expected 200 from ${url}; its last words:\n${child === undefined ? '' : logTail(child)}`,
      );
    }
    await realDelay(POLL_MS);
  }
}

function statusOf(url: string, ca: string, token: string): Promise<number> {
  return new Promise((resolve) => {
    const sent = get(
      url,
      { ca, agent: false, timeout: 2000, headers: { authorization: `Bearer ${token}` } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(0));
  });
}
