/** What the target would find mounted in its pod, as files that a process can be given. */
import type { MountedFile } from '../../actors/process/mounted-files.ts';
import { isMap, mapsOf, textOf } from '../../model/json.ts';
import type { JsonObject, KubeObject } from '../../model/object.ts';
import { entriesOf, find, type TargetWorkload } from './deployment.ts';

/** Entries of one source of a volume. */
type Entries = { readonly [name: string]: Uint8Array };

/**
 * The files of the container's volumes. `certificates`: what a Secret holds that is mounted and nowhere in the manifests, because
 * somebody (cert-manager, usually) makes it in the cluster.
 */
export function mountsOf(
  workload: TargetWorkload,
  objects: readonly KubeObject[],
  certificates: Entries,
): readonly MountedFile[] {
  const volumes = new Map(mapsOf(workload.pod['volumes']).map((volume) => [textOf(volume['name']), volume]));
  return mapsOf(workload.container['volumeMounts']).flatMap((mount): readonly MountedFile[] => {
    const volume = volumes.get(textOf(mount['name']));
    const path = textOf(mount['mountPath']);
    if (volume === undefined || path === '') return [];
    const entries = sourcesOf(volume).reduce<Entries>(
      (all, source) => ({ ...all, ...entriesOfSource(source, workload, objects, certificates) }),
      {},
    );
    const single = textOf(mount['subPath']);
    if (single !== '') {
      const content = entries[single];
      return content === undefined ? [] : [{ below: 'files', path, content }];
    }
    const files = Object.entries(entries).map(([name, content]): MountedFile => ({
      below: 'files',
      path: `${path}/${name}`,
      content,
    }));
    return [{ below: 'files', path }, ...files];
  });
}

function sourcesOf(volume: JsonObject): readonly JsonObject[] {
  return isMap(volume['projected']) ? mapsOf(volume['projected']['sources']) : [volume];
}

function entriesOfSource(
  source: JsonObject,
  { namespace }: TargetWorkload,
  objects: readonly KubeObject[],
  certificates: Entries,
): Entries {
  for (const [kind, field] of [
    ['ConfigMap', 'configMap'],
    ['Secret', 'secret'],
  ] as const) {
    const reference = source[field];
    if (!isMap(reference)) continue;
    // A volume of its own names a Secret otherwise than a projected one does.
    const name = textOf(reference['secretName']) || textOf(reference['name']);
    const found = find(objects, kind, namespace, name);
    const entries = entriesOf(found) ?? (kind === 'Secret' ? certificates : {});
    const items = mapsOf(reference['items']);
    if (items.length === 0) return entries;
    return Object.fromEntries(
      items.flatMap((item) => {
        const content = entries[textOf(item['key'])];
        return content === undefined ? [] : [[textOf(item['path']), content] as const];
      }),
    );
  }
  return {};
}
