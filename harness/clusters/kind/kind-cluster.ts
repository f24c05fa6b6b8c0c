/**
 * A kind cluster for one run: created by the kind CLI and deleted when the run ends, however it ends.
 *
 * Owns: its name, its lifetime, its logs. A private kubeconfig file is written; the user's own is never read or changed. A kept cluster is
 * named after its configuration, so that the next run finds it. Does not own: the engine (`engine.ts`), how runs use the cluster
 * (`open-kind.ts`). Start at {@link makeKindCluster}.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from 'stalemate-apiserver/http';
import { markOf, ourHost, ourProcess, type ProcessIdentity } from 'stalemate-apiserver/processes/process-identity';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import { HarnessError } from '../../model/errors.ts';
import type { KindAccess, KindOptions } from '../../model/kind-options.ts';
import { called } from './cli.ts';
import { configurationOf } from './configuration.ts';
import { findEngine, nodeImage, type Engine } from './engine.ts';
import { checkImage, hasImage, loadImage } from './images.ts';
import { OwnedClusters } from './owners.ts';
import { Watchdog } from './watchdog.ts';

export interface MakeKindOptions extends KindOptions {
  /** Where logs are exported after a failure. */
  readonly logFolder: string;
  /** Images for pods of the run: the first is required, the others are optional. */
  readonly images?: readonly string[];
  readonly signal?: AbortSignal;
  /** Called with one line before each slow step. */
  readonly say?: (line: string) => void;
}

export interface KindCluster {
  readonly access: KindAccess;
  readonly image: string;
  /** True if the cluster already existed. */
  readonly isReused: boolean;
  readonly createMs: number;
  /** Exports the logs of its nodes and containers; resolves with the folder. */
  exportLogs(): Promise<string>;
  /** Deletes the cluster, unless it is to be kept. */
  close(): Promise<void>;
}

/** The prefix of all our clusters' names (`storage-key.ts` depends on it). */
const PREFIX = 'stalemate-';
/** The number of attempts: another process may take a port between choosing and binding it. */
const TRIES = 3;
const AGAIN_MS = 1_000;

/** @throws {CLUSTER_UNAVAILABLE} if kind, an engine or an image is missing, or the cluster does not start. */
export async function makeKindCluster(options: MakeKindOptions): Promise<KindCluster> {
  const engine = await findEngine();
  const image = await nodeImage(engine, options);
  const [needed] = options.images ?? [];
  if (needed !== undefined) await checkImage(engine, needed);
  const kind = new Kind(engine);
  const owned = new OwnedClusters();
  for (const { cluster, engine: its } of owned.abandoned()) {
    options.say?.(`deleting the kind cluster "${cluster}" of a run that was killed`);
    // If this fails, the next start tries again.
    await new Kind(its as Engine)
      .remove(cluster, owned)
      .catch((error: unknown) => options.say?.(`it could not be deleted: ${String(error)}`));
  }
  const keep = options.keep === true;
  // The digest of the cluster's configuration, without its name and its port.
  const made = digest(configurationOf(options.configFile, '', image, 0));
  const name = `${PREFIX}${keep ? `kept-${made}` : digest(`${markOf(ourProcess())} ${realNow()}`)}`;
  const began = realNow();
  const folder = owned.folder(name);
  /** Claims the cluster; returns whether it already exists. */
  const claim = async (): Promise<boolean> => {
    const user = keep ? owned.userOf(name) : undefined;
    if (user !== undefined) throw unavailable(inUseText(name, folder, user));
    const isThere = keep && (await kind.names()).includes(name);
    const isKnown = owned.ownerOf(name)?.isMade === true;
    if (isThere && !isKnown) throw unavailable(notOursText(name, folder));
    // Records of a cluster that was deleted by hand are useless to the next cluster.
    if (!isThere) owned.forget(name);
    owned.claim(name, engine, keep, isThere);
    return isThere;
  };
  const isReused = keep ? await owned.whileChoosing(claim) : await claim();
  const watchdog = isReused ? undefined : new Watchdog(name, folder, kind.env);
  const logs = join(options.logFolder, 'kind-logs', name);
  const exportLogs = async (): Promise<string> => {
    mkdirSync(logs, { recursive: true });
    // If the node has crashed, fewer logs are available, and kind fails.
    await kind.run(['export', 'logs', logs, '--name', name]).catch(() => {});
    return logs;
  };
  /**
   * Deletes the cluster. A failure is only printed, because the result of the run must not be lost; the watchdog retries after this process
   * has ended.
   */
  const end = async (): Promise<void> => {
    try {
      await kind.remove(name, owned);
      watchdog?.done();
    } catch (error) {
      options.say?.(`the kind cluster "${name}" could not be deleted yet: ${String(error)}`);
    }
  };
  const close = async (): Promise<void> => {
    if (keep) owned.release(name);
    else await end();
  };
  try {
    if (!isReused) {
      options.say?.(`making the kind cluster "${name}" of ${image}`);
      for (let attempt = 1; ; attempt++) {
        const failed = await kind.create(name, folder, image, options.configFile, watchdog);
        // The engine completes what a killed caller has requested, so creation is awaited before the cluster is deleted.
        if (options.signal?.aborted === true) throw unavailable('interrupted while the kind cluster was made');
        if (failed === undefined) break;
        const wasPort = /port is already allocated|address already in use/.test(failed);
        if (!wasPort || attempt === TRIES) {
          const where = await exportLogs();
          throw unavailable(
            `the kind cluster "${name}" did not come up; its logs are in "${where}". kind said:\n${failed}`,
          );
        }
        await kind.delete(name, folder);
      }
      if (keep) {
        owned.made(name);
        watchdog?.done();
      }
    }
    const reached = await kind.access(name, folder);
    const access = { ...reached, images: await kind.load(options.images ?? [], name) };
    return { access, image, isReused, createMs: realNow() - began, exportLogs, close };
  } catch (error) {
    const isKept = keep && owned.ownerOf(name)?.isMade === true;
    if (!isKept) {
      await end();
      throw error;
    }
    owned.release(name);
    const why = error instanceof Error ? error.message : String(error);
    throw unavailable(`${why.trim()}; the cluster is left running: ${deleteText(name)}`);
  }
}

/** The kind CLI, and the container engine for what the CLI cannot do. */
class Kind {
  readonly env: { readonly [name: string]: string | undefined };
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
    // Forces the engine that was found to answer. The user's own kubeconfig is not used.
    const { KUBECONFIG: _, ...env } = process.env;
    this.env = { ...env, KIND_EXPERIMENTAL_PROVIDER: engine };
  }

  /** Runs kind to completion, without interruption. */
  async run(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await called(['kind', ...args], { env: this.env });
    if (code !== 0) throw unavailable(`"kind ${args.join(' ')}" ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
    return stdout;
  }

  async names(): Promise<readonly string[]> {
    return (await this.run(['get', 'clusters'])).split('\n');
  }

  /** Creates a cluster. Returns kind's output if it failed, in which case partial results still exist. */
  async create(
    name: string,
    folder: string,
    image: string,
    configFile: string | undefined,
    watchdog: Watchdog | undefined,
  ): Promise<string | undefined> {
    const [etcdPort = 0] = await freePorts(1);
    const config = join(folder, 'kind-config.yaml');
    writeFileSync(config, configurationOf(configFile, name, image, etcdPort), { mode: 0o600 });
    writeFileSync(join(folder, 'etcd-port'), `${etcdPort}\n`);
    const kubeconfig = join(folder, 'kubeconfig');
    const args = ['create', 'cluster', '--name', name, '--config', config, '--kubeconfig', kubeconfig, '--retain'];
    const { code, stderr } = await called(['kind', ...args], {
      env: this.env,
      started: (pid) => watchdog?.making(pid),
    });
    watchdog?.made();
    return code === 0 ? undefined : readable(stderr);
  }

  /** Loads the images that the engine has; returns their names in the node. */
  async load(images: readonly string[], name: string): Promise<KindAccess['images']> {
    const loaded: { [image: string]: string } = {};
    for (const image of images)
      if (await hasImage(this.#engine, image)) loaded[image] = await loadImage(this.#engine, image, name, this.env);
    return loaded;
  }

  async access(name: string, folder: string): Promise<Omit<KindAccess, 'images'>> {
    const port = readFileSync(join(folder, 'etcd-port'), 'utf8').trim();
    const node = `${name}-control-plane`;
    const inNode = async (...command: readonly string[]): Promise<string> => {
      const answer = await called([this.#engine, 'exec', node, ...command]);
      if (answer.code === 0) return answer.stdout;
      throw unavailable(`"${command.join(' ')}" failed in the node "${node}": ${answer.stderr}`);
    };
    const read = (file: string): Promise<string> => inNode('cat', `/etc/kubernetes/pki/etcd/${file}`);
    const [ca, certificate, key] = await Promise.all([
      read('ca.crt'),
      read('healthcheck-client.crt'),
      read('healthcheck-client.key'),
    ]);
    return {
      name,
      kubeconfig: join(folder, 'kubeconfig'),
      context: `kind-${name}`,
      engine: this.#engine,
      node,
      etcd: { url: `https://127.0.0.1:${port}`, ca, certificate, key },
    };
  }

  /** Deletes a cluster. kind removes its entries from the kubeconfig that is passed; without one, from the user's. */
  async delete(name: string, folder: string): Promise<void> {
    await this.run(['delete', 'cluster', '--name', name, '--kubeconfig', join(folder, 'kubeconfig')]);
  }

  /** Deletes a cluster, even if incomplete, and its record once it is gone. */
  async remove(name: string, owned: OwnedClusters): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.delete(name, owned.folder(name));
        if ((await this.run(['get', 'nodes', '--name', name])).trim() === '') break;
        if (attempt === TRIES) throw unavailable(`the kind cluster "${name}" was deleted and is still there`);
      } catch (error) {
        // An engine on a busy machine may not notice in time that a container ended.
        if (attempt === TRIES) throw error;
      }
      await realDelay(AGAIN_MS);
    }
    owned.forget(name);
  }
}

function inUseText(name: string, folder: string, { host, pid }: ProcessIdentity): string {
  const what = `the kept kind cluster "${name}" is another run's right now`;
  if (host === ourHost()) return `${what} (process ${pid}); wait, or leave --keep-cluster out`;
  const where = host === '' ? '' : ` of ${host.split(' ')[0] ?? ''}`;
  return `${what}, or was (process ${pid}${where}); wait, or leave --keep-cluster out; if that process is gone, remove "${folder}" and call "kind delete cluster --name ${name}"`;
}

function notOursText(name: string, folder: string): string {
  return `there is a kind cluster "${name}" that stalemate has no record of creating (in "${folder}"); delete it with "kind delete cluster --name ${name}", or leave --keep-cluster out`;
}

function deleteText(name: string): string {
  return `if it is broken, delete it with "kind delete cluster --name ${name}"`;
}

/** Returns the end of kind's output, which contains the error, without the stack trace below it. */
function readable(text: string): string {
  const lines = text
    .split('\n')
    .filter((line) => !/^(?:Stack Trace:|\t|[\w./-]+\.\(?[\w*)]+\S*\(?$)/.test(line.trimEnd()));
  const at = lines.findIndex((line) => line.startsWith('ERROR:'));
  return (at < 0 ? lines.slice(-12) : lines.slice(at, at + 6)).join('\n').trim();
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function unavailable(what: string): HarnessError {
  return new HarnessError('CLUSTER_UNAVAILABLE', what);
}
