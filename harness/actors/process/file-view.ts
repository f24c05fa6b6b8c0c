/**
 * The files of the host that a program sees, as operations for the launcher (`launcher/launch.c`).
 *
 * The system's own folders remain, read-only. Every other folder below `/`, including homes and state folders, is empty, except the
 * project, whose changes are discarded, and what the command line or a variable names: a program, its installation, a file, a folder. Start
 * at {@link fileView}.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isWithin } from '../../report/is-within.ts';
import { stateFolder } from '../../report/state-folder.ts';

/** The program for which a view is built. */
export interface Viewer {
  /** Program and arguments; placeholders in them are not paths. */
  readonly command: readonly string[];
  /** Its working directory. Absolute. */
  readonly cwd: string;
  /** The author's additions to its environment. */
  readonly env: { readonly [name: string]: string };
  /** The part of its environment that it inherits. */
  readonly inherited: { readonly [name: string]: string };
  /** True if it has its own network, and therefore its own DNS server. */
  readonly ownNames?: boolean;
}

/** The user's own environment, whose variables may point to private files. */
type Session = { readonly [name: string]: string | undefined };

/** Folders below `/` that a system installs, or that the launcher creates. */
const SYSTEM: ReadonlySet<string> = new Set(
  'bin sbin lib lib32 lib64 libx32 usr etc opt nix gnu snap sys proc dev'.split(' '),
);
/** Folders that even an administrator's program has no reason to read, and the socket of a build service that executes anything. */
const PRIVATE_FOLDERS = [
  ...['ssh', 'kubernetes', 'rancher', 'cni', 'docker', 'containerd', 'containers'].map((name) => `/etc/${name}`),
  ...['debug', 'tracing'].map((name) => `/sys/kernel/${name}`),
  '/nix/var/nix/daemon-socket',
];
/** In a view: the placeholder for the incarnation's own folder with a pod's files below /run. */
export const POD = '{pod}';
/** Hidden separately, like a folder directly below `/`, although it is inside one. */
const VAR_TMP = '/var/tmp';
/** Variables that list folders. The siblings of these folders are needed too, because libraries are next to programs. */
const PATH_LISTS: ReadonlySet<string> = new Set(['PATH', 'LD_LIBRARY_PATH', 'PYTHONPATH', 'NODE_PATH', 'CLASSPATH']);

/** `overlay`: changes are discarded. */
type Access = 'read' | 'overlay';

/**
 * Returns the operations that build the view, without those for a single incarnation.
 *
 * @returns The reason, if the program's working directory must not be visible.
 */
export function fileView(viewer: Viewer, session: Session): readonly string[] | { readonly refused: string } {
  const homes = homeFolders();
  const own = [...homes, ...settingsFolders(session)];
  const secret = secretsIn('/etc');
  // A project must not contain any of these. It may contain settings folders, which are hidden inside it.
  const guarded = [...foldersBelowRoot(), ...homes, ...secret.folders, ...PRIVATE_FOLDERS.filter(mayRead)];
  const hidden = outermost([...guarded, ...own]);
  const project = projectOf(viewer.cwd, guarded);
  if (project !== '/' && guarded.some((folder) => isWithin(folder, project)))
    return { refused: `it starts in "${project}", which holds more than a project` };
  const mayShow = (path: string): boolean =>
    path !== '/' && !guarded.some((folder) => isWithin(folder, path)) && !SYSTEM.has(path.slice(1));
  const shown = new Map<string, Access>();
  const show = (path: string, access: Access): void => {
    for (const place of spellingsOf(path))
      if (mayShow(place) && (access === 'overlay' || hidden.some((folder) => isWithin(place, folder))))
        if (shown.get(place) !== 'overlay') shown.set(place, access);
  };
  show(project, 'overlay');
  for (const path of installationsOf(viewer, guarded)) show(path, 'read');
  const named = namedIn([...viewer.command.slice(1), ...Object.values(viewer.env)]);
  for (const path of named)
    if (statSync(path).isDirectory()) show(path, 'overlay');
    else {
      const around = projectOf(dirname(path), guarded);
      show(mayShow(around) && !isInDotFolder(around, own) ? around : path, 'read');
    }
  for (const path of namedIn(Object.values(viewer.inherited))) show(path, 'read');
  // On the host's network, programs need the host's DNS settings. On their own network they must not see this file: without it, they query
  // loopback.
  const names = '/etc/resolv.conf';
  if (viewer.ownNames !== true && existsSync(names)) show(names, 'read');
  const mounts = shownOnce(shown);
  // An overlay does not include mounts inside the folder.
  const inner = mountPlaces().filter((place) =>
    mounts.some(([path, access]) => access === 'overlay' && place !== path && isWithin(place, path)),
  );
  const isVisible = (path: string): boolean =>
    !hidden.some((folder) => isWithin(path, folder)) || mounts.some(([place]) => isWithin(path, place));
  const hiddenAgain = own.filter((folder) => mounts.some(([path]) => isWithin(folder, path)));
  const masked = [
    ...(viewer.ownNames === true && existsSync(names) ? [realpathSync(names)] : []),
    ...secret.files.filter((file) => !named.includes(file)),
    ...kubeconfigs(session),
  ].filter((file) => isVisible(file) && !hiddenAgain.some((folder) => isWithin(file, folder)));
  return [
    ...hidden.flatMap((folder) => ['--hide', folder]),
    ...['/run', '/var/run'].flatMap((place) => ['--at', POD, place]),
    ...mounts.flatMap(([path, access]) => [`--${access}`, path]),
    ...inner.flatMap((place) => ['--read', place]),
    ...hiddenAgain.flatMap((folder) => ['--hide', folder]),
    ...[...new Set(masked)].flatMap((file) => ['--mask', file]),
    '--cd',
    viewer.cwd,
  ];
}

/** Sorts paths from outer to inner, and drops those that an outer path already shows, since a mount takes time. */
function shownOnce(shown: ReadonlyMap<string, Access>): readonly (readonly [string, Access])[] {
  const kept: (readonly [string, Access])[] = [];
  for (const [path, access] of [...shown].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const around = kept.findLast(([folder]) => isWithin(path, folder));
    if (around === undefined || (around[1] === 'read' && access === 'overlay')) kept.push([path, access]);
  }
  return kept;
}

/** Returns the account's home folder, and HOME, which may differ. */
function homeFolders(): readonly string[] {
  return foldersOf([homedir(), homeOfAccount()]);
}

/** Returns further folders in which the user keeps private files. */
function settingsFolders(session: Session): readonly string[] {
  return foldersOf([session['XDG_CONFIG_HOME'], session['XDG_RUNTIME_DIR'], stateFolder()]);
}

function foldersOf(paths: readonly (string | undefined)[]): readonly string[] {
  return (
    paths
      .filter((folder): folder is string => folder !== undefined && isAbsolute(folder) && existsSync(folder))
      .map((folder) => realpathSync(folder))
      // A system account may have a shared folder as its home.
      .filter((folder, at, all) => folder !== '/' && !SYSTEM.has(folder.slice(1)) && all.indexOf(folder) === at)
  );
}

/** Returns the home folder of the account; undefined for a user id without an account. */
function homeOfAccount(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

function foldersBelowRoot(): readonly string[] {
  return readdirSync('/', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !SYSTEM.has(entry.name))
    .flatMap(({ name }) => (name === 'var' ? ['/var', VAR_TMP] : [`/${name}`]));
}

function outermost(folders: readonly string[]): readonly string[] {
  const found = [...new Set(folders)].filter(
    (folder) => !folders.some((other) => other !== folder && isWithin(folder, other)),
  );
  // Comes after "/var", so that programs find an empty folder for temporary files in the hidden "/var".
  return [...found, ...(found.includes('/var') ? [VAR_TMP] : [])];
}

interface Secrets {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Returns paths that this user may read and other users may not: below `top`, and files directly below `/` (such as swap files). */
function secretsIn(top: string): Secrets {
  const files: string[] = [];
  const folders: string[] = [];
  const look = (folder: string, within: boolean): void => {
    if (!mayRead(folder)) return;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (!entry.isFile() && !(within && entry.isDirectory())) continue;
      const { mode } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
      if (mode === undefined) continue;
      const isOpen = entry.isFile() ? (mode & 0o004) !== 0 : (mode & 0o005) === 0o005;
      if (!isOpen && mayRead(path)) (entry.isFile() ? files : folders).push(path);
      if (isOpen && entry.isDirectory()) look(path, true);
    }
  };
  look('/', false);
  look(top, true);
  return { files, folders };
}

function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function kubeconfigs(session: Session): readonly string[] {
  return (session['KUBECONFIG'] ?? '')
    .split(delimiter)
    .filter((file) => file !== '' && existsSync(file) && !statSync(file).isDirectory())
    .map((file) => realpathSync(file));
}

/** Reports whether a path is in a folder such as `~/.ssh` or `~/.kube`, which contains more than the named file. */
function isInDotFolder(path: string, own: readonly string[]): boolean {
  return own.some((home) => isWithin(path, home) && relative(home, path).startsWith('.'));
}

/** Returns a path followed by each result of resolving its symbolic links; all of these must be visible for the path to work. */
function spellingsOf(path: string): readonly string[] {
  const found = [path];
  for (let at = path; found.length < LINKS_MAX;) {
    const link = ancestorsOf(at).find(
      (place) => lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true,
    );
    if (link === undefined) break;
    at = join(resolve(dirname(link), readlinkSync(link)), relative(link, at));
    if (!existsSync(at)) break;
    found.push(at);
  }
  return found;
}

/** Returns the ancestors of a path, from the outermost folder to the path itself. */
function ancestorsOf(path: string): readonly string[] {
  const above = dirname(path) === path ? [] : ancestorsOf(dirname(path));
  return [...above, path];
}

/** The kernel's limit on symbolic links in a path. */
const LINKS_MAX = 40;

/** Returns all mount points. */
function mountPlaces(): readonly string[] {
  if (!existsSync('/proc/self/mountinfo')) return [];
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ').slice(4, 5))
    .map((place) => place.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))))
    .filter(existsSync);
}

/**
 * Returns the innermost repository that contains a folder; the folder itself if no repository does, or if the repository would be a home
 * folder.
 */
function projectOf(folder: string, guarded: readonly string[]): string {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    if (guarded.some((other) => isWithin(other, at))) break;
    if (existsSync(join(at, '.git'))) return at;
  }
  return folder;
}

/** Returns the installation folders of programs and libraries that the program may need. */
function installationsOf(
  { command: [program = ''], cwd, env, inherited }: Viewer,
  guarded: readonly string[],
): readonly string[] {
  const variables = { ...inherited, ...env };
  const lists = Object.entries(variables).flatMap(([name, value]) =>
    PATH_LISTS.has(name) ? value.split(delimiter) : [],
  );
  const folders = lists.filter((folder) => isAbsolute(folder) && existsSync(folder));
  const found = program.includes('/')
    ? resolve(cwd, program)
    : folders.map((folder) => join(folder, program)).find(existsSync);
  const programs = found === undefined || !existsSync(found) ? [] : [found, ...interpreterOf(found, folders)];
  return [
    ...folders.flatMap(spellingsOf).flatMap((folder) => installationOf(folder, guarded)),
    ...programs.flatMap((file) =>
      spellingsOf(file).flatMap((place) => [
        projectOf(dirname(place), guarded),
        ...installationOf(dirname(place), guarded),
      ]),
    ),
  ].filter(existsSync);
}

/** Returns `…/python-3.11` for `…/python-3.11/bin`, but not for a `bin` directly below a home folder, whose siblings are the user's own. */
function installationOf(folder: string, guarded: readonly string[]): readonly string[] {
  const whole = dirname(folder);
  // A version manager's folder, which contains nothing else.
  if (basename(folder) === 'shims' && !guarded.includes(whole)) return [whole];
  const isOwn = [homedir(), homeOfAccount()].includes(dirname(whole)) || guarded.includes(whole);
  return isOwn || !/^s?bin$/.test(basename(folder)) ? [folder, join(whole, 'lib')] : [whole];
}

const FIRST_LINE_MAX = 256;

/** Returns the interpreter in a script's first line. */
function interpreterOf(file: string, folders: readonly string[]): readonly string[] {
  if (!statSync(file).isFile()) return [];
  const buffer = Buffer.alloc(FIRST_LINE_MAX);
  const opened = openSync(file, 'r');
  const text = buffer.toString('latin1', 0, readSync(opened, buffer));
  closeSync(opened);
  const [, path = '', word = ''] = /^#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?/.exec(text) ?? [];
  const named = basename(path) === 'env' ? folders.map((folder) => join(folder, word)).find(existsSync) : path;
  return named !== undefined && isAbsolute(named) && existsSync(named) ? [named] : [];
}

/** Returns the absolute paths in words: `/a`, `--config=/a/b.yaml`, `/a.jar:/b.jar`, `/lib/*`. */
function namedIn(words: readonly string[]): readonly string[] {
  return words
    .flatMap((word) => word.split(/[:=,;]/))
    .map((part) => part.replace(/\/\*+$/, ''))
    .filter((part) => part.length > 1 && isAbsolute(part) && !part.includes('\0') && existsSync(part));
}
