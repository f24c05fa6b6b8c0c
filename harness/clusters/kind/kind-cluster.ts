/**
 * A kind cluster for one run: made by the kind CLI, deleted when the run is over, in whatever way that is.
 *
 * Owns: its name, its life, its logs. A private kubeconfig file is written, the user's own is never read or changed. A kept cluster is
 * called by what it was made of, so that the next run finds it. Does not own: the engine (`engine.ts`), what runs do with the cluster
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
  /** Where logs go when something fails. */
  readonly logFolder: string;
  /** Images for pods of the run: the first has to be there, the others may be. */
  readonly images?: readonly string[];
  readonly signal?: AbortSignal;
  /** Hears what takes time, one line each. */
  readonly say?: (line: string) => void;
}

export interface KindCluster {
  readonly access: KindAccess;
  readonly image: string;
  /** It was there already. */
  readonly isReused: boolean;
  readonly createMs: number;
  /** Writes down what its nodes and containers have logged; says where. */
  exportLogs(): Promise<string>;
  /** Deletes it, unless it is to be kept. */
  close(): Promise<void>;
}

/** The names of all of ours begin like this (`storage-key.ts` knows it). */
const PREFIX = 'stalemate-';
/** Between choosing a port and binding it, another process may take it. */
const TRIES = 3;
const AGAIN_MS = 1_000;

/** @throws {CLUSTER_UNAVAILABLE} when kind, an engine or an image is missing, or the cluster does not come up. */
export async function makeKindCluster(options: MakeKindOptions): Promise<KindCluster> {
  const engine = await findEngine();
  const image = await nodeImage(engine, options);
  const [needed] = options.images ?? [];
  if (needed !== undefined) await checkImage(engine, needed);
  const kind = new Kind(engine);
  const owned = new OwnedClusters();
  for (const { cluster, engine: its } of owned.abandoned()) {
    options.say?.(`deleting the kind cluster "${cluster}" of a run that was killed`);
    // The next start tries again.
    await new Kind(its as Engine)
      .remove(cluster, owned)
      .catch((error: unknown) => options.say?.(`it could not be deleted: ${String(error)}`));
  }
  const keep = options.keep === true;
  // What it is made of, whatever it is called and whichever port is free.
  const made = digest(configurationOf(options.configFile, '', image, 0));
  const name = `${PREFIX}${keep ? `kept-${made}` : digest(`${markOf(ourProcess())} ${realNow()}`)}`;
  const began = realNow();
  const folder = owned.folder(name);
  /** Claims it; says whether it is there already. */
  const claim = async (): Promise<boolean> => {
    const user = keep ? owned.userOf(name) : undefined;
    if (user !== undefined) throw unavailable(inUseText(name, folder, user));
    const isThere = keep && (await kind.names()).includes(name);
    const isKnown = owned.ownerOf(name)?.isMade === true;
    if (isThere && !isKnown) throw unavailable(notOursText(name, folder));
    // Notes of one that was deleted by hand are of no use to the next.
    if (!isThere) owned.forget(name);
    owned.claim(name, engine, keep, isThere);
    return isThere;
  };
  const isReused = keep ? await owned.whileChoosing(claim) : await claim();
  const watchdog = isReused ? undefined : new Watchdog(name, folder, kind.env);
  const logs = join(options.logFolder, 'kind-logs', name);
  const exportLogs = async (): Promise<string> => {
    mkdirSync(logs, { recursive: true });
    // Of a node that has died there is less to be had, and kind says so.
    await kind.run(['export', 'logs', logs, '--name', name]).catch(() => {});
    return logs;
  };
  /** What cannot be deleted now the watchdog tries once more when we are gone: no result is lost over it. */
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
        // An engine goes on with what a caller who was ended has asked for: what is being made is made to its end, and deleted then.
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

/** The CLI, and the engine where kind has no word for it. */
class Kind {
  readonly env: { readonly [name: string]: string | undefined };
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
    // Whatever else is there: the engine that was found to answer. The user's own kubeconfig is not used.
    const { KUBECONFIG: _, ...env } = process.env;
    this.env = { ...env, KIND_EXPERIMENTAL_PROVIDER: engine };
  }

  /** Runs kind to its end, whatever happens around it. */
  async run(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await called(['kind', ...args], { env: this.env });
    if (code !== 0) throw unavailable(`"kind ${args.join(' ')}" ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
    return stdout;
  }

  async names(): Promise<readonly string[]> {
    return (await this.run(['get', 'clusters'])).split('\n');
  }

  /** What kind said, if it failed; what it has made so far is still there then. */
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

  /** Those that the engine has, under the names that they have in the node. */
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

  /** From the kubeconfig that is named kind takes its entries; without one from the user's. */
  async delete(name: string, folder: string): Promise<void> {
    await this.run(['delete', 'cluster', '--name', name, '--kubeconfig', join(folder, 'kubeconfig')]);
  }

  /** Deletes a cluster, or what there is of it, and forgets it once it is gone. */
  async remove(name: string, owned: OwnedClusters): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.delete(name, owned.folder(name));
        if ((await this.run(['get', 'nodes', '--name', name])).trim() === '') break;
        if (attempt === TRIES) throw unavailable(`the kind cluster "${name}" was deleted and is still there`);
      } catch (error) {
        // An engine on a busy machine may not have seen a container end in time.
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

/** The end of what kind prints, which says what went wrong, without the stack below it. */
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
