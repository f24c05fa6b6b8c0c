/** Files of one incarnation that a pod would have mounted: entries of ConfigMaps and Secrets, certificates. */
import { mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface MountedFile {
  /**
   * `files`: below `{files}`, which the command names; `home`: below the incarnation's temporary folder; `pod`: below /var/run, if the host
   * permits mounts.
   */
  readonly below: 'files' | 'home' | 'pod';
  /** The mount path in a pod. */
  readonly path: string;
  /** Absent for an empty folder. */
  readonly content?: Uint8Array;
}

/** A mounted ConfigMap or Secret as a folder of files; rewritten when the object changes, as a kubelet does. */
export interface MountedFolder {
  /** The mount path in a pod. */
  readonly path: string;
  readonly entries: { readonly [name: string]: Uint8Array };
}

/** The base folders for the mounted files of an incarnation. */
export type LifeFolders = { readonly [below in MountedFile['below']]: string };

/** Where controller-runtime looks for the certificate of its webhook server, below its temporary folder. */
export const SERVING_CERTS = 'k8s-webhook-server/serving-certs';
/** The temporary folder in a pod; a process has one of its own instead. */
const POD_TMP = '/tmp/';
/** The kubelet's name of the link to the current version of a folder. */
const CURRENT = '..data';

/** Writes the files, creating missing folders. */
export function mountFiles(mounted: readonly MountedFile[], folders: LifeFolders): void {
  mkdirSync(folders.files, { recursive: true });
  for (const { below, path, content } of mounted) {
    const place = placeOf(folders[below], path);
    mkdirSync(content === undefined ? place : dirname(place), { recursive: true });
    if (content !== undefined) writeFileSync(place, content, { mode: 0o600 });
  }
}

/** Writes mounted folders below `{files}`. Those mounted below /tmp are also linked from the incarnation's temporary folder. */
export function mountFolders(mounted: readonly MountedFolder[], folders: LifeFolders): void {
  const linked: string[] = [];
  for (const folder of mounted.toSorted((a, b) => a.path.length - b.path.length)) {
    const place = mountedAt(folder, folders);
    mkdirSync(place, { recursive: true });
    writeEntries(folder, folders);
    if (!folder.path.startsWith(POD_TMP) || linked.some((path) => folder.path.startsWith(`${path}/`))) continue;
    const link = placeOf(folders.home, folder.path.slice(POD_TMP.length));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(place, link);
    linked.push(folder.path);
  }
}

/** Returns the path of a mounted folder, or of a file below `{files}`, on the host. */
export function mountedAt({ path }: Pick<MountedFolder, 'path'>, { files }: Pick<LifeFolders, 'files'>): string {
  return placeOf(files, path);
}

/**
 * Replaces all files of a folder atomically, as a kubelet does: each file is a link through `..data`, and a single rename points `..data`
 * to another folder. Programs that watch the files notice the change.
 */
export function writeEntries(folder: MountedFolder, folders: Pick<LifeFolders, 'files'>): void {
  const place = mountedAt(folder, folders);
  const before = currentIn(place);
  const version = `..${Number(before?.slice(2) ?? 0) + 1}`;
  for (const [name, content] of Object.entries(folder.entries)) {
    const file = placeOf(join(place, version), name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o600 });
  }
  mkdirSync(join(place, version), { recursive: true });
  const next = join(place, `${CURRENT}_tmp`);
  symlinkSync(version, next);
  renameSync(next, join(place, CURRENT));
  const names = new Set(Object.keys(folder.entries).map((path) => join('/', path).split('/')[1] ?? ''));
  const there = readdirSync(place, { withFileTypes: true });
  // The folder may contain another mount.
  for (const entry of there)
    if (entry.isSymbolicLink() && entry.name !== CURRENT && !names.has(entry.name)) rmSync(join(place, entry.name));
  for (const name of names)
    if (there.every((entry) => entry.name !== name)) symlinkSync(join(CURRENT, name), join(place, name));
  if (before !== undefined) rmSync(join(place, before), { recursive: true, force: true });
}

function currentIn(place: string): string | undefined {
  try {
    return readlinkSync(join(place, CURRENT));
  } catch {
    return undefined;
  }
}

/** Returns a path below a folder. The path is made absolute first, so that ".." cannot lead out of the folder. */
function placeOf(folder: string, path: string): string {
  return join(folder, join('/', path));
}
