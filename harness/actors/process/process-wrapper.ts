/**
 * The prefix of a target's command line, so that nothing that it starts can outlive it, and it sees no file that is not its business.
 *
 * A process may leave its group and its session, but never its pid namespace, which ends with its first process. Where the host
 * permits none, the group and the marked environment have to do (`survivors.ts`). Start at {@link processWrapper}.
 */
import { spawnSync } from 'node:child_process';
import { getSystemErrorMessage } from 'node:util';
import type { FileSystem } from '../../model/counterexample.ts';
import { findLauncher } from './launcher/launcher.ts';
import { isWithin } from '../../report/is-within.ts';
import { POD } from './file-view.ts';
import { LIFE } from './watched.ts';

export interface ProcessWrapper {
  /** Prefix of the command line of one life. */
  readonly wrapper: (life: LifeView) => readonly string[];
  /** Whether all processes of a life end with its first one, whatever they do to get away. */
  readonly endsAll: boolean;
  /** Why it sees the host's files, where it was not meant to. */
  readonly openFiles: string | null;
  /** Why its clock cannot be steered; null where it can. */
  readonly unsteered: string | null;
}

/** The file descriptor by which a life is steered. */
export const STEERED_BY = 4;

/** What one life sees of the file system. */
export interface LifeView {
  /** Its own folder, with what a pod finds below /var/run in the folder `pod`. */
  readonly folder: string;
  /** Operations of the launcher (`file-view.ts`). */
  readonly view: readonly string[];
  /** Folders of the host that lie elsewhere for it, where its programs look for them. */
  readonly mounts?: readonly Mount[];
  /** What its programs find as the name of their host; that of this machine when absent. */
  readonly hostname?: string;
  /** How its clock begins, where it is steered: by the file {@link STEERED_BY}. */
  readonly steered?: Steered;
}

/** A folder `from` that a program finds as `to`. */
export interface Mount {
  readonly from: string;
  readonly to: string;
}

/** How a steered life begins. */
export interface Steered {
  /** The time of day when the run began, in ms since 1970. */
  readonly originMs: number;
  /** How long ago that is, in ms of the run. */
  readonly nowMs: number;
  /** What its random numbers depend on; the kernel's own when absent. */
  readonly seed?: number;
  /** The one processor that it may use; all when absent. */
  readonly processor?: number;
}

/** The network that a life runs in: that of the process `pid`, in the user namespace of that process where it has one. */
export interface JoinedNetwork {
  readonly pid: number;
  readonly hasUser: boolean;
  /** The same for a command line that the launcher does not start. */
  readonly enter: readonly string[];
}

/**
 * Without the launcher: the first process of the namespace is a shell, for a target in its place would be spared the signals that it has
 * no handler for.
 *
 * Before that it lays what a pod finds below /var/run over the host's, where mounts are its own and nothing that is needed lies there
 * (NixOS has its programs in it). What else is below /run, sockets of container engines for instance, is no business of the target's.
 */
const SCRIPT = `
pod=$${LIFE}/pod run=$(readlink -f /var/run)
if [ -d "$pod" ] && [ -n "$run" ] && [ ! -e /run/current-system ]; then
  case "$${LIFE}/ $PWD/" in
    *"$run"/* | */var/run/*) ;;
    *) mount -t tmpfs -o size=1m stalemate "$run" 2>/dev/null && cp -R "$pod/." "$run/" ;;
  esac
fi
"$@"; exit $?`;
const INIT = ['/bin/sh', '-c', SCRIPT, 'sh'];
const FORK = ['--pid', '--fork', '--kill-child'];
/** Without it, programs that look themselves up in /proc find another process. */
const MOUNT = '--mount-proc';
const PROBE_MS = 5_000;

/** Starts a program behind a wrapper; says what keeps it from that, or null. */
type Attempt = (wrapper: readonly string[]) => string | null;

/** @param network The host's when absent. */
export function processWrapper(
  fileSystem: FileSystem,
  network?: JoinedNetwork,
  trouble: Attempt = troubleWith,
): ProcessWrapper {
  const launched = fileSystem === 'host' ? undefined : launcherWrapper(network, trouble);
  if (launched !== undefined && !('refused' in launched)) return { ...launched, endsAll: true, openFiles: null };
  const unsteered =
    launched === undefined
      ? 'virtual time needs a file system of its own (--file-system own)'
      : 'virtual time needs namespaces, which this host does not permit';
  const openFiles = launched === undefined ? null : launched.refused;
  const enter = network?.enter ?? [];
  const ways = identities().flatMap((identity) => [
    ['unshare', ...identity, ...FORK, MOUNT],
    ['unshare', ...identity, ...FORK],
  ]);
  for (const way of ways) {
    const wrapper = [...enter, ...way, ...INIT];
    if (trouble(wrapper) === null) return { wrapper: () => wrapper, endsAll: true, openFiles, unsteered };
  }
  return { wrapper: () => enter, endsAll: false, openFiles, unsteered };
}

function launcherWrapper(
  network: JoinedNetwork | undefined,
  trouble: Attempt,
): Pick<ProcessWrapper, 'wrapper' | 'unsteered'> | { refused: string } {
  const launcher = findLauncher();
  if (typeof launcher !== 'string') return launcher;
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  const options = [
    ...(uid === 0 && network?.hasUser !== true ? [] : ['--user', String(uid), String(gid)]),
    ...(network === undefined ? [] : ['--join', String(network.pid)]),
  ];
  const tried = tryOnce(launcher, options, network, trouble);
  if ('refused' in tried) return tried;
  return {
    ...tried,
    wrapper: ({ folder, view, mounts = [], steered, hostname }) => [
      launcher,
      ...options,
      ...(hostname === undefined ? [] : ['--hostname', hostname]),
      ...(steered === undefined ? [] : steeredBy(steered)),
      ...view.map((word) => (word === POD ? `${folder}/pod` : word)),
      '--write',
      folder,
      ...mounts.filter(({ to }) => canMount(to, folder, view)).flatMap(({ from, to }) => ['--at', from, to]),
      '--',
    ],
  };
}

/**
 * Only where a folder can be made: inside of one that is hidden from the program, and so that nothing that is shown to it lies behind the
 * mount.
 */
function canMount(to: string, folder: string, view: readonly string[]): boolean {
  const hidden = view.filter((_, at) => view[at - 1] === '--hide');
  const isInside = hidden.some((place) => place !== to && isWithin(to, place));
  const shown = [folder, ...view.filter((_, at) => SHOWING.has(view[at - 1] ?? ''))];
  return isInside && !shown.some((place) => isWithin(place, to));
}

const SHOWING: ReadonlySet<string> = new Set(['--read', '--overlay', '--cd']);

/** All that a view is made of. */
const VIEW = ['--hostname', 'probe', '--hide', '/tmp', '--overlay', '/usr'];
/** By a reader that requests nothing. */
const STEERED = ['--steer', '0'];
/** Launchers that start steered programs here, by the kind of network that those are in: what one network permits, the others do. */
const ableIn = new Set<string>();

function tryOnce(
  launcher: string,
  options: readonly string[],
  network: JoinedNetwork | undefined,
  trouble: Attempt,
): Pick<ProcessWrapper, 'unsteered'> | { refused: string } {
  const kind = `${launcher} ${network?.hasUser}`;
  if (ableIn.has(kind)) return { unsteered: null };
  const unsteered = neverSteered(network) ?? trouble([launcher, ...options, ...STEERED, ...VIEW, '--']);
  if (unsteered === null) {
    ableIn.add(kind);
    return { unsteered };
  }
  const refused = trouble([launcher, ...options, ...VIEW, '--']);
  return refused === null ? { unsteered } : { refused };
}

function neverSteered(network: JoinedNetwork | undefined): string | null {
  if (process.arch !== 'x64') return `virtual time needs an x86-64 processor, and this one is ${process.arch}`;
  return network === undefined ? 'virtual time needs a network of its own (--network none)' : null;
}

function steeredBy({ originMs, nowMs, seed, processor }: Steered): readonly string[] {
  return [
    ...['--steer', String(STEERED_BY), '--now', String(Math.round(nowMs * 1e6))],
    // More than a number holds.
    ...['--origin', String(BigInt(Math.round(originMs)) * 1_000_000n)],
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
    ...(processor === undefined ? [] : ['--cpu', String(processor)]),
  ];
}

/** Who the target is inside: the user who starts it, or root in name where only that can be had. */
function identities(): readonly (readonly string[])[] {
  const uid = process.getuid?.();
  const gid = process.getgid?.();
  if (uid === undefined || gid === undefined) return [];
  if (uid === 0) return [[]];
  return [['--user', `--map-user=${uid}`, `--map-group=${gid}`], ['--user', '--map-root-user'], []];
}

/** What keeps a wrapper from starting a program here; null when nothing does. */
function troubleWith([program = '', ...args]: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync(program, [...args, 'true'], { timeout: PROBE_MS, encoding: 'utf8' });
  if (status === 0) return null;
  const said = error?.message ?? (stderr.trim().split('\n').at(-1) || `exit code ${status}`);
  return said
    .replace(/^launch: /, '')
    .replace(/error (\d+)$/, (_, code: string) => getSystemErrorMessage(-Number(code)));
}
