/** Provides a process with the files that the target would find mounted in its pod. */
import { isMap, mapsOf, textOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { ACCOUNT, TOKEN } from '../../actors/process/access.ts';
import type { MountedFile, MountedFolder } from '../../actors/process/mounted-files.ts';
import { entriesOf, find, type TargetWorkload } from './deployment.ts';

/** A program gets the files of its service account in another way, and only if it needs them. */
const ACCOUNT_FOLDER = `/var/run/${ACCOUNT}`;

/** The entries of one source of a volume: file names and contents. */
type Entries = { readonly [name: string]: Uint8Array };

/** The mounts of a container. */
export interface Mounts {
  /** Folders that are updated when their ConfigMaps and Secrets change. */
  readonly folders: readonly MountedFolder[];
  /** Single files, which are never updated, and folders without content from the manifests. */
  readonly files: readonly MountedFile[];
}

/** Returns the mounts of the container's volumes, with the current state of the objects. */
export function mountsOf(workload: TargetWorkload, objects: readonly KubeObject[]): Mounts {
  const volumes = new Map(mapsOf(workload.pod['volumes']).map((volume) => [textOf(volume['name']), volume]));
  const folders: MountedFolder[] = [];
  const files: MountedFile[] = [];
  for (const mount of mapsOf(workload.container['volumeMounts'])) {
    const volume = volumes.get(textOf(mount['name']));
    const path = textOf(mount['mountPath']).replace(/(?<=.)\/+$/, '');
    if (volume === undefined || path === '' || path === ACCOUNT_FOLDER) continue;
    const sources = sourcesOf(volume);
    const entries = sources.reduce<Entries>(
      (all, source) => ({ ...all, ...entriesOfSource(source, workload, objects) }),
      {},
    );
    const single = textOf(mount['subPath']);
    const content = entries[single];
    const hasContent = sources.some((source) => referencesOf(source).length > 0 || tokenOf(source) !== undefined);
    if (!hasContent && (single === '' || isFolder(volume))) files.push({ below: 'files', path });
    else if (!hasContent) continue;
    else if (single === '') folders.push({ path, entries });
    else if (content !== undefined) files.push({ below: 'files', path, content });
  }
  return { folders, files };
}

/** Returns the Secrets in the container's volumes without which its pod would not start. */
export function neededSecrets(workload: TargetWorkload): readonly string[] {
  const mounted = new Set(mapsOf(workload.container['volumeMounts']).map((mount) => textOf(mount['name'])));
  return mapsOf(workload.pod['volumes'])
    .filter((volume) => mounted.has(textOf(volume['name'])))
    .flatMap(sourcesOf)
    .flatMap(referencesOf)
    .flatMap(({ kind, name, isOptional }) => (kind === 'Secret' && !isOptional ? [name] : []));
}

/** Reports whether a volume begins empty, and nothing else provides its files. */
function isFolder(volume: JsonObject): boolean {
  return ['emptyDir', 'ephemeral', 'persistentVolumeClaim'].some((kind) => volume[kind] !== undefined);
}

function sourcesOf(volume: JsonObject): readonly JsonObject[] {
  return isMap(volume['projected']) ? mapsOf(volume['projected']['sources']) : [volume];
}

interface Reference {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly isOptional: boolean;
  readonly items: readonly JsonObject[];
}

function referencesOf(source: JsonObject): readonly Reference[] {
  return (
    [
      ['ConfigMap', 'configMap'],
      ['Secret', 'secret'],
    ] as const
  ).flatMap(([kind, field]): readonly Reference[] => {
    const reference = source[field];
    if (!isMap(reference)) return [];
    // A secret volume and a projected source use different fields for the name.
    const name = textOf(reference['secretName']) || textOf(reference['name']);
    return [{ kind, name, isOptional: reference['optional'] === true, items: mapsOf(reference['items']) }];
  });
}

/** Returns the name of the file with a token of the service account, if a projected source has one. */
function tokenOf({ serviceAccountToken: token }: JsonObject): string | undefined {
  return isMap(token) ? textOf(token['path']) || 'token' : undefined;
}

function entriesOfSource(source: JsonObject, { namespace }: TargetWorkload, objects: readonly KubeObject[]): Entries {
  const token = tokenOf(source);
  if (token !== undefined) return { [token]: Buffer.from(TOKEN) };
  const [reference] = referencesOf(source);
  if (reference === undefined) return {};
  const { kind, name, items } = reference;
  const entries = entriesOf(find(objects, kind, namespace, name)) ?? {};
  if (items.length === 0) return entries;
  return Object.fromEntries(
    items.flatMap((item) => {
      const content = entries[textOf(item['key'])];
      return content === undefined ? [] : [[textOf(item['path']), content] as const];
    }),
  );
}
