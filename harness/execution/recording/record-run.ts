/**
 * Records the API traffic of a user's command: puts a passive gate in front of the named cluster, gives the command a kubeconfig that
 * points to the gate, and observes the cluster's changes.
 *
 * Nothing is held or changed. Owns: starting and stopping these parts. Start at {@link recordRun}.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CertificateAuthority } from 'stalemate-apiserver/http';
import { call } from 'stalemate-apiserver/wire/call';
import type { Method, Upstream } from 'stalemate-apiserver/wire/http';
import { kubeconfigOf } from 'stalemate-apiserver/wire/kubeconfig';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import type { ClusterAccess } from '../../clusters/existing/kubeconfig-file.ts';
import { Observer } from '../../clusters/observer.ts';
import { Departure } from '../../clusters/real/departure.ts';
import { realNow } from '../../determinism/real-time.ts';
import { Capture } from '../../gate/http/capture.ts';
import type { RequestHead } from '../../gate/http/exchange.ts';
import { openFront, type Front, type Way } from '../../gate/http/front.ts';
import type { OnRedirect } from '../../gate/http/redirected.ts';
import { RemoteServer } from '../../gate/http/remote.ts';
import { questionOf, remoteUpstream } from '../../gate/http/remote-upstream.ts';
import { HarnessError } from '../../model/errors.ts';
import type { Recording } from '../../model/recording.ts';
import { isOpaque, readCapture } from './captured.ts';
import { deviationsOf } from './deviations.ts';
import { foldHistory } from './fold.ts';
import type { Happening } from './happening.ts';

export interface RecordOptions {
  readonly access: ClusterAccess;
  /** Program and arguments; `{kubeconfig}` is replaced by the path of the kubeconfig that points to the gate. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** The command's environment; KUBECONFIG is replaced. */
  readonly env: NodeJS.ProcessEnv;
  /** Part of the controller's user agent. */
  readonly target?: string;
  /** Asks the command to exit. */
  readonly signal: AbortSignal;
  /** Called once the gate accepts requests. */
  readonly onListening?: (url: string) => void;
}

export interface RecordedRun {
  readonly recording: Recording;
  /** The number of requests that passed through the gate. */
  readonly requests: number;
  /** How the command ended, such as `with code 0` or `by SIGINT`. */
  readonly ended: string;
  readonly succeeded: boolean;
}

/** How long the observer may take to receive the last changes, in ms. */
const CATCH_UP_MS = 10_000;

/**
 * Runs the command and resolves when it has ended, whatever its exit code.
 *
 * @throws {CLUSTER_UNAVAILABLE} if the cluster cannot be reached or refuses the credentials.
 * @throws {REFUSED} if the cluster has redirected requests elsewhere.
 * @throws {TARGET_INVALID} if the command cannot be started.
 */
export async function recordRun(options: RecordOptions): Promise<RecordedRun> {
  const { access, target } = options;
  const remote = new RemoteServer(access.remote);
  const departure = new Departure();
  const onRedirect: OnRedirect = (code, request) => departure.redirected(code, request);
  const upstream = remoteUpstream(remote, { onRedirect });
  const startMs = realNow();
  const now = (): number => realNow() - startMs;
  const capture = new Capture(now);
  const changes: Happening[] = [];
  const observer = new Observer(upstream, (change) => changes.push({ what: 'change', timeMs: now(), change }));
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-record-'));
  let front: Front | undefined;
  let requests = 0;
  try {
    const authority = new CertificateAuthority();
    const token = randomBytes(16).toString('hex');
    front = await reached(access, () =>
      openFront({
        remote,
        token,
        tls: { identity: authority.issueServer(), clientCa: authority.certificate },
        strangers: 'pass',
        onRedirect,
        route: (head) => {
          requests++;
          return wayOf(head, capture, observer);
        },
      }),
    );
    await checkCredentials(access, upstream);
    const kubeconfig = join(folder, 'kubeconfig');
    const { context: name, namespace } = access;
    const ca = authority.certificate;
    writeFileSync(kubeconfig, stringify(kubeconfigOf({ name, server: front.url, ca, token, namespace })), {
      mode: 0o600,
    });
    options.onListening?.(front.url);
    const { ended, succeeded } = await runCommand(options, kubeconfig);
    departure.check();
    const notes = (await observer.caughtUp(CATCH_UP_MS))
      ? []
      : ['the last changes had not been seen when the recording ended'];
    if (capture.truncated) notes.push('too much traffic to store: the recording ends early');
    const { happenings, actors } = readCapture(capture.passed, target);
    const all = [...changes, ...happenings].toSorted((a, b) => a.timeMs - b.timeMs);
    const history = foldHistory(all);
    return {
      recording: {
        version: 2,
        kind: 'recording',
        source: 'gate',
        actors: Object.fromEntries(actors),
        notes: [...notes, ...observer.gaps],
        schedule: deviationsOf(history),
        history,
      },
      requests,
      ended,
      succeeded,
    };
  } finally {
    observer.close();
    await front?.close();
    upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Captures a request for a resource. The request is delayed until the observer watches that resource, because a change made before that
 * could not be attributed to its request.
 */
function wayOf(head: RequestHead, capture: Capture, observer: Observer): Way {
  const { path, query } = questionOf(head);
  const info = requestInfo(head.method as Method, path, query);
  if (info === undefined || isOpaque(info.subresource)) return {};
  return { tap: capture.tap(head), after: observer.observe(info) };
}

async function reached<T>({ context, remote }: ClusterAccess, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new HarnessError(
      'CLUSTER_UNAVAILABLE',
      `could not reach ${remote.url} of context "${context}" (${code ?? message}), expected an API server whose certificate the kubeconfig trusts; start it, or name another context`,
      { cause: error },
    );
  }
}

async function checkCredentials({ context, remote }: ClusterAccess, upstream: Upstream): Promise<void> {
  const { code } = await call(upstream, { method: 'GET', path: '/api', query: {}, headers: {} });
  if (code === 401 || code === 403)
    throw new HarnessError(
      'CLUSTER_UNAVAILABLE',
      `${remote.url} answered ${code} to the credentials of context "${context}", expected ones that it accepts; renew them`,
    );
}

function runCommand(options: RecordOptions, kubeconfig: string): Promise<{ ended: string; succeeded: boolean }> {
  const { command, cwd, signal } = options;
  const [program = '', ...args] = command.map((word) => word.replaceAll('{kubeconfig}', kubeconfig));
  const env: NodeJS.ProcessEnv = { ...options.env, KUBECONFIG: kubeconfig, USE_EXISTING_CLUSTER: 'true' };
  // Clients that find these variables would use the in-cluster configuration.
  delete env['KUBERNETES_SERVICE_HOST'];
  delete env['KUBERNETES_SERVICE_PORT'];
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: 'inherit' });
    const stop = (): void => void child.kill('SIGINT');
    const kill = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    process.once('exit', kill);
    const over = (): void => {
      signal.removeEventListener('abort', stop);
      process.off('exit', kill);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      over();
      reject(
        new HarnessError(
          'TARGET_INVALID',
          `could not start "${command.join(' ')}" (${error.code ?? error.message}), expected a program and its arguments after --`,
        ),
      );
    });
    child.once('exit', (code, by) => {
      over();
      resolve({ ended: code === null ? `by ${by ?? 'a signal'}` : `with code ${code}`, succeeded: code === 0 });
    });
  });
}
