/**
 * Inspects kustomizations without rendering them, because rendering may access the network, and the user has not agreed to
 * that.
 */
import { posix } from 'node:path';
import { parse } from 'yaml';
import { placeIn, type Repository } from './repository.ts';

/** File names of kustomizations. */
export const NAMES: ReadonlySet<string> = new Set(['kustomization.yaml', 'kustomization.yml', 'Kustomization']);
/** Fields that name other kustomizations, or files. */
export const NAMING: readonly string[] = [
  'resources',
  'bases',
  'components',
  'crds',
  'configurations',
  'generators',
  'transformers',
];
/** Distinguishes URLs from paths as kustomize does: by a scheme, a host before the path, or by syntax that only git understands. */
const REMOTE =
  /:\/\/|^git@|^[\w-]+(?:\.[\w-]+)+\/.*(?:\/\/|\?ref=|\.git)|^github\.com[/:]|\?(?:ref|version|timeout|submodules)=/;

/** Folders with overlays for tests, documentation and development. */
const ASIDE = /(^|\/)(tests?|e2e|hack|examples?|samples?|site|docs?|dev[\w-]*|fixtures?|experimental)(\/|$)/i;
/** Usual places of the main overlay, in order of preference; at the same place, the one that includes the fewest folders wins. */
const PLACES: readonly RegExp[] = [/^config\/default$/, /(^|\/)default$/, /(^|\/)overlays\//];

/** A folder that can be rendered without the network. */
export interface Overlay {
  readonly folder: string;
  /** Number of folders that it includes. */
  readonly reach: number;
  /** Whether it is in a usual place of the main overlay. */
  readonly usual: boolean;
}

/**
 * Returns kustomizations that could be the main one, the likeliest first.
 *
 * @param remote - Whether to return those with remote bases instead of those without.
 */
export function overlays(repository: Repository, remote = false): readonly Overlay[] {
  const place = ({ folder }: Overlay): number => placeIn(PLACES, folder);
  return repository.files
    .filter((file) => NAMES.has(posix.basename(file)))
    .map((file) => posix.dirname(file))
    .filter((folder) => !ASIDE.test(folder) && namesRemoteBase(repository, folder) === remote)
    .map((folder): Overlay => {
      const usual = PLACES.some((pattern) => pattern.test(folder));
      return { folder, reach: closureOf(repository, folder).size, usual };
    })
    .toSorted(
      (a, b) =>
        Number(isPart(a)) - Number(isPart(b)) ||
        place(a) - place(b) ||
        a.reach - b.reach ||
        (a.folder < b.folder ? -1 : 1),
    );
}

/** Reports whether an overlay is more likely a part of another one, or of something else, than the main one. */
export function isPart({ reach, usual }: Overlay): boolean {
  return reach <= 1 && !usual;
}

/** Reports whether an entry of a kustomization is a URL. */
export function isRemote(entry: string): boolean {
  return REMOTE.test(entry);
}

/** Reports whether a kustomization, or one that it includes, has or may have a remote base. */
export function namesRemoteBase(repository: Repository, folder: string): boolean {
  return [...closureOf(repository, folder).values()].some(
    (entries) => entries === undefined || entries.some((entry) => REMOTE.test(entry)),
  );
}

/** Returns the entries of a kustomization and of those that it includes, by folder; undefined for one that cannot be read. */
function closureOf(repository: Repository, folder: string): ReadonlyMap<string, readonly string[] | undefined> {
  const found = new Map<string, readonly string[] | undefined>();
  const open = [folder];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const file = [...NAMES].map((name) => posix.join(at, name)).find((path) => repository.exists(path));
    if (file === undefined || found.has(at)) continue;
    const entries = entriesOf(repository.text(file));
    found.set(at, entries);
    for (const entry of entries ?? []) if (!REMOTE.test(entry)) open.push(posix.join(at, entry));
  }
  return found;
}

function entriesOf(text: string): readonly string[] | undefined {
  try {
    const kustomization = parse(text) as { readonly [key: string]: unknown } | null;
    return NAMING.flatMap((key) => kustomization?.[key] ?? []).filter((entry) => typeof entry === 'string');
  } catch {
    return undefined;
  }
}
