/** Kustomizations, as `init` looks at them before anybody has said yes: rendering one may ask the network. */
import { posix } from 'node:path';
import { parse } from 'yaml';
import { placeIn, type Repository } from './repository.ts';

/** What a kustomization is called. */
export const NAMES: ReadonlySet<string> = new Set(['kustomization.yaml', 'kustomization.yml', 'Kustomization']);
/** Where a kustomization names others, or files. */
export const NAMING: readonly string[] = [
  'resources',
  'bases',
  'components',
  'crds',
  'configurations',
  'generators',
  'transformers',
];
/** As kustomize distinguishes addresses from paths: a scheme, a host before the path, or what only git understands. */
const REMOTE =
  /:\/\/|^git@|^[\w-]+(?:\.[\w-]+)+\/.*(?:\/\/|\?ref=|\.git)|^github\.com[/:]|\?(?:ref|version|timeout|submodules)=/;

/** What is installed from there serves tests, documentation and development. */
const ASIDE = /(^|\/)(tests?|e2e|hack|examples?|samples?|site|docs?|dev[\w-]*|fixtures?|experimental)(\/|$)/i;
/** Where projects keep the overlay that is meant, in this order; of others, the plainest is. */
const PLACES: readonly RegExp[] = [/^config\/default$/, /(^|\/)default$/, /(^|\/)overlays\//];

/** A folder that can be rendered without asking the network. */
export interface Overlay {
  readonly folder: string;
  /** Folders that it takes in. */
  readonly reach: number;
  /** Its place says that it is what is installed. */
  readonly usual: boolean;
}

/**
 * Kustomizations that could be what the project installs, the likeliest first.
 *
 * @param remote those that lead out of the project, instead of those that do not
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
    .filter(({ reach, usual }) => reach > 1 || usual)
    .toSorted((a, b) => place(a) - place(b) || a.reach - b.reach || (a.folder < b.folder ? -1 : 1));
}

/** Whether an entry of a kustomization is an address. */
export function isRemote(entry: string): boolean {
  return REMOTE.test(entry);
}

/** Whether a kustomization, or one that it takes in, leads out of the project; also where that is unknown. */
export function namesRemoteBase(repository: Repository, folder: string): boolean {
  return [...closureOf(repository, folder).values()].some(
    (entries) => entries === undefined || entries.some((entry) => REMOTE.test(entry)),
  );
}

/** What a kustomization and those that it takes in name, by folder; undefined for one that cannot be read. */
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
