/**
 * What all incarnations of a process target share: its settings, credentials, enclosures, and what was learnt about it.
 *
 * Start at {@link processHost}.
 */
import type { Server } from 'node:net';
import { CertificateAuthority, type Identity } from 'stalemate-apiserver/http';
import type { Upstream, UserInfo } from 'stalemate-apiserver/wire/http';
import type { Traffic } from 'stalemate-apiserver/wire/traffic';
import type { ActorId } from '../../model/actor.ts';
import type { ProcessTarget } from '../../model/counterexample.ts';
import { HarnessError } from '../../model/errors.ts';
import type { OutsideServersOptions } from '../outside/outside-servers.ts';
import { cleanEnvironment } from './command.ts';
import type { Enclosure } from './enclosure.ts';
import type { EnclosurePool } from './enclosure-pool.ts';
import { fileView } from './file-view.ts';
import type { MountedFile, MountedFolder } from './mounted-files.ts';
import { MetricsOfTarget } from './read-reconciles.ts';

/** The credentials for an incarnation's front, and where it listens. */
export interface LifeAccess {
  /** The enclosure in which it runs. */
  readonly enclosure: Enclosure;
  /** A listening socket, if the incarnation has a network of its own. */
  readonly socket: Server | undefined;
  readonly identity: Identity;
  /** The CA of client certificates, in PEM. */
  readonly clientCa: string;
  readonly token: string;
  /** The user of the token, for a server that checks it. */
  readonly user: UserInfo;
}

/** The API server as an incarnation sees it. */
export interface LifeFront {
  readonly url: string;
  readonly traffic?: Traffic;
  close(): Promise<void>;
}

/** Opens a front for an incarnation, forwarding to `upstream`. */
export type ServeLife = (upstream: Upstream, access: LifeAccess) => Promise<LifeFront>;

/** Settings shared by all incarnations of a target. */
export interface ProcessHost {
  readonly serve: ServeLife;
  readonly target: ProcessTarget;
  /** The host name inside, as in a pod. */
  readonly hostname?: string;
  /** Files that a pod would have mounted. */
  readonly files: readonly MountedFile[];
  /** Returns the ConfigMaps and Secrets that a pod would have mounted, with their content when the incarnation starts. */
  readonly folders?: () => readonly MountedFolder[];
  readonly namespace: string;
  /** The namespace of its pod, for programs that read it from their kubeconfig; default {@link namespace}. */
  readonly podNamespace?: string;
  readonly authority: CertificateAuthority;
  readonly identity: Identity;
  /** The part of the host's files that all incarnations see. */
  readonly view: readonly string[];
  readonly enclosures: EnclosurePool;
  /** The clock of the run, if the clocks of its programs are controlled. */
  readonly clock?: { readonly originMs: number; readonly exactMs: number; nextSeed(): number };
  /** The only processor that its programs may use, if their clocks are controlled. */
  readonly processor?: number;
  /** Called once an incarnation waits in a way that cannot be controlled. */
  readonly onUnsteered?: (what: string) => void;
  /** The declared servers outside the cluster, and the callback for name lookups. */
  readonly outside?: Pick<OutsideServersOptions, 'declared' | 'lookedUp'>;
  readonly metrics: MetricsOfTarget;
  /** Whether the program has ended for lack of the in-cluster configuration of a pod; later incarnations get it at once. */
  readonly podAccess: { isNeeded: boolean };
  /** Called with a line of its output. */
  readonly print: (actor: ActorId, line: string) => void;
  /** Called when the leftovers of an incarnation are being removed; `removed` resolves when that is done. */
  readonly clearing?: (removed: Promise<void>) => void;
}

/** Creates the host for the incarnations of one target; generating the key takes a millisecond and happens once. */
export function processHost(
  parts: Omit<ProcessHost, 'authority' | 'identity' | 'view' | 'metrics' | 'podAccess'>,
): ProcessHost {
  const authority = new CertificateAuthority();
  return {
    ...parts,
    authority,
    identity: authority.issueServer(),
    metrics: new MetricsOfTarget(),
    podAccess: { isNeeded: false },
    view: viewOf(parts, parts.enclosures),
  };
}

/** @throws {TARGET_INVALID} if the working directory must not be visible to the process. */
function viewOf(
  { target, outside }: Pick<ProcessHost, 'target' | 'outside'>,
  { hasOwnFiles, network }: EnclosurePool,
): readonly string[] {
  if (!hasOwnFiles) return [];
  const { command, cwd, env } = target;
  const inherited = cleanEnvironment(process.env, '', '', {});
  const ownNames = network === 'none' && outside !== undefined;
  const view = fileView({ command, cwd, env, inherited, ownNames }, process.env);
  if (!('refused' in view)) return view;
  throw new HarnessError(
    'TARGET_INVALID',
    `the program cannot have a file system of its own: ${view.refused}; start it in a folder of its own (--directory), or let it see all of your files with --file-system host`,
  );
}
