/**
 * The prefix of a target's command line that keeps its processes from outliving it and from seeing unrelated files.
 *
 * A process may leave its group and its session, but never its pid namespace, which ends with its first process. If the host permits no
 * such namespace, the process group and the marked environment must suffice (`survivors.ts`). Start at {@link processWrapper}.
 */
import { spawnSync } from 'node:child_process';
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, normalize } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import type { FileSystem } from '../../model/counterexample.ts';
import { findLauncher } from './launcher/launcher.ts';
import { isWithin } from '../../report/is-within.ts';
import { ACCOUNT } from './access.ts';
import { POD } from './file-view.ts';
import { LIFE } from './watched.ts';

export interface ProcessWrapper {
  /** Returns the prefix of the command line of one incarnation. */
  readonly wrapper: (life: LifeView) => readonly string[];
  /** True if all processes of an incarnation end with its first one, even if they try to escape. */
  readonly endsAll: boolean;
  /** Why an incarnation sees the host's files although it should not; null if it does not. */
  readonly openFiles: string | null;
  /** Why an incarnation's clock cannot be controlled; null if it can. */
  readonly unsteered: string | null;
}

/** The file descriptor for controlling an incarnation's clock. */
export const STEERED_BY = 4;

/** The file system as one incarnation sees it. */
export interface LifeView {
  /** Its own folder; a pod's files below /var/run are in its subfolder `pod`. */
  readonly folder: string;
  /** Operations for the launcher (`file-view.ts`). */
  readonly view: readonly string[];
  /** Folders of the host that appear elsewhere, where its programs expect them. */
  readonly mounts?: readonly Mount[];
  /** The host name that its programs see; absent: that of this machine. */
  readonly hostname?: string;
  /** The initial state of its clock, if controlled through the file descriptor {@link STEERED_BY}. */
  readonly steered?: Steered;
}

/** A folder `from` that appears as `to` to a program. */
export interface Mount {
  readonly from: string;
  readonly to: string;
}

/** The initial state of an incarnation with a controlled clock. */
export interface Steered {
  /** The time when the run began, in ms since 1970. */
  readonly originMs: number;
  /** The time since then, in ms of the run. */
  readonly nowMs: number;
  /** The seed of its random numbers; absent: the kernel's own. */
  readonly seed?: number;
  /** The only processor that it may use; absent: all. */
  readonly processor?: number;
}

/** The network of an incarnation: that of the process `pid`, in the user namespace of that process if it has one. */
export interface JoinedNetwork {
  readonly pid: number;
  readonly hasUser: boolean;
  /** The prefix that enters this network, for a command line that the launcher does not start. */
  readonly enter: readonly string[];
}

/**
 * The fallback without the launcher. The first process of the namespace is a shell: a target in its place would not receive signals that it
 * has no handler for.
 *
 * It first mounts a pod's files over the host's /var/run, if it has a mount namespace of its own and the target needs nothing there (NixOS
 * has its programs there). The rest of /run, such as sockets of container engines, must not be visible to the target.
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
/** Remounts /proc: otherwise programs that look themselves up in it would find a different process. */
const MOUNT = '--mount-proc';
const PROBE_MS = 5_000;

/** Starts a program behind a wrapper; returns the error, or null. */
type Attempt = (wrapper: readonly string[]) => string | null;

/** @param network - The network to join; the host's if absent. */
export function processWrapper(
  fileSystem: FileSystem,
  network?: JoinedNetwork,
  trouble: Attempt = startError,
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
  const known = new Map<string, boolean>();
  const mayOpen = (place: string): boolean => {
    const may = known.get(place) ?? trouble([launcher, ...options, '--open', place, ...VIEW, '--']) === null;
    known.set(place, may);
    return may;
  };
  const wrapper: ProcessWrapper['wrapper'] = ({ folder, view, mounts = [], steered, hostname }) => {
    const opened = new Set<string>();
    const isPossible = ({ to }: Mount): boolean => {
      if (!isPlain(to) || coversShown(to, folder, view)) return false;
      const around = operationAround(to, view);
      if (around !== undefined) return around !== '--read';
      const place = placeToOpen(to);
      if (place === undefined || !mayOpen(place)) return false;
      opened.add(place);
      return true;
    };
    const possible = mounts.filter(isPossible);
    return [
      launcher,
      ...options,
      ...[...opened].toSorted(byDepth).flatMap((place) => ['--open', place]),
      ...(hostname === undefined ? [] : ['--hostname', hostname]),
      ...(steered === undefined ? [] : steeredBy(steered)),
      ...view.map((word) => (word === POD ? `${folder}/pod` : word)),
      '--write',
      folder,
      ...possible.toSorted((a, b) => byDepth(a.to, b.to)).flatMap(({ from, to }) => ['--at', from, to]),
      '--',
    ];
  };
  return { ...tried, wrapper };
}

/**
 * Returns the operation that made the innermost folder of a view around a mount point, such as `--hide` or `--overlay`. A mount point can be
 * created in all of them except in a folder that is shown as it is.
 */
function operationAround(to: string, view: readonly string[]): string | undefined {
  let found: { readonly place: string; readonly operation: string } | undefined;
  for (const [at, place] of view.entries()) {
    const operation = view[at - 1] ?? '';
    if (!FOLDERS.has(operation) || !isWithin(to, place)) continue;
    if (found === undefined || place.length >= found.place.length) found = { place, operation };
  }
  return found?.operation;
}

const FOLDERS: ReadonlySet<string> = new Set(['--hide', '--read', '--overlay']);

/** The folders of the system in which mount points that the host does not have can be created, at any depth. They have few entries. */
const OPENABLE: readonly string[] = ['/etc', '/opt'];

/**
 * Returns the folder in which a mount point would have to be created: `/`, or one of a few of the system. Undefined if the host has a folder
 * or file there, which the mount would cover.
 */
function placeToOpen(to: string): string | undefined {
  if (isThere(to)) return undefined;
  let place = dirname(to);
  while (!isThere(place)) place = dirname(place);
  const isOpenable = place === '/' || OPENABLE.some((folder) => isWithin(place, folder));
  if (!isOpenable || realpathSync(place) !== place) return undefined;
  const stat = lstatSync(place);
  // The folder that replaces it is open to all.
  return stat.isDirectory() && (stat.mode & OPEN_TO_ALL) === OPEN_TO_ALL ? place : undefined;
}

const OPEN_TO_ALL = 0o005;

/** Also true of a path that cannot be looked at, such as one below a file. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Reports whether a path is absolute, and does not lead elsewhere by `..`. */
function isPlain(path: string): boolean {
  return isAbsolute(path) && normalize(path) === path;
}

/** Reports whether a mount would cover something that the program is to see. */
function coversShown(to: string, folder: string, view: readonly string[]): boolean {
  const shown = view.filter((_, at) => SHOWING.has(view[at - 1] ?? '') || view[at - 2] === '--at');
  return [folder, ...shown, ...ACCOUNTS].some((place) => isWithin(place, to));
}

/** The files of the service account, at both names of their folder. */
const ACCOUNTS: readonly string[] = ['/var/run', '/run'].map((folder) => `${folder}/${ACCOUNT}`);
const SHOWING: ReadonlySet<string> = new Set(['--read', '--overlay', '--cd']);

/** Compares paths so that an outer folder comes before what is inside it. */
function byDepth(a: string, b: string): number {
  return a.length - b.length;
}

/** One operation of each kind that a view contains, to test whether this host permits them. */
const VIEW = ['--hostname', 'probe', '--hide', '/tmp', '--overlay', '/usr'];
/** Arguments for a controlled clock. Its commands come from standard input, where none are sent. */
const STEERED = ['--steer', '0'];
/** Launchers that have started a program with a controlled clock here, by kind of network: all networks of a kind permit the same. */
const ableByNetwork = new Set<string>();

function tryOnce(
  launcher: string,
  options: readonly string[],
  network: JoinedNetwork | undefined,
  trouble: Attempt,
): Pick<ProcessWrapper, 'unsteered'> | { refused: string } {
  const kind = `${launcher} ${network?.hasUser}`;
  if (ableByNetwork.has(kind)) return { unsteered: null };
  const unsteered = unsteerableReason(network) ?? trouble([launcher, ...options, ...STEERED, ...VIEW, '--']);
  if (unsteered === null) {
    ableByNetwork.add(kind);
    return { unsteered };
  }
  const refused = trouble([launcher, ...options, ...VIEW, '--']);
  return refused === null ? { unsteered } : { refused };
}

function unsteerableReason(network: JoinedNetwork | undefined): string | null {
  if (process.arch !== 'x64') return `virtual time needs an x86-64 processor, and this one is ${process.arch}`;
  return network === undefined ? 'virtual time needs a network of its own (--network none)' : null;
}

function steeredBy({ originMs, nowMs, seed, processor }: Steered): readonly string[] {
  return [
    ...['--steer', String(STEERED_BY), '--now', String(Math.round(nowMs * 1e6))],
    // A BigInt, because nanoseconds exceed the precision of a number.
    ...['--origin', String(BigInt(Math.round(originMs)) * 1_000_000n)],
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
    ...(processor === undefined ? [] : ['--cpu', String(processor)]),
  ];
}

/** Returns options for the target's user inside: the user who starts it, or a mapped root if only that is possible. */
function identities(): readonly (readonly string[])[] {
  const uid = process.getuid?.();
  const gid = process.getgid?.();
  if (uid === undefined || gid === undefined) return [];
  if (uid === 0) return [[]];
  return [['--user', `--map-user=${uid}`, `--map-group=${gid}`], ['--user', '--map-root-user'], []];
}

/** Returns why a wrapper cannot start a program here; null if it can. */
function startError([program = '', ...args]: readonly string[]): string | null {
  // The launcher ignores signals that ask it to end.
  const limits = { timeout: PROBE_MS, killSignal: 'SIGKILL' } as const;
  const { status, stderr, error } = spawnSync(program, [...args, 'true'], { ...limits, encoding: 'utf8' });
  if (status === 0) return null;
  const said = error?.message ?? (stderr.trim().split('\n').at(-1) || `exit code ${status}`);
  return said
    .replace(/^launch: /, '')
    .replace(/error (\d+)$/, (_, code: string) => getSystemErrorMessage(-Number(code)));
}
