/**
 * Loads the CRDs and the sample from YAML or JSON files.
 *
 * Owns: checks that need no server. Does not own: reading files (`manifest-files.ts`), and validation against a schema, which the API
 * server performs when the objects are applied.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { asList, asMap, fail, invalid, readPath, textOf, type Manifest } from './manifest-files.ts';

const CRD_KIND = 'CustomResourceDefinition';
const CRD_VERSION = 'apiextensions.k8s.io/v1';

/**
 * Loads the CRDs of files and folders. A folder may contain other manifests and patches, and its CRDs may be in subfolders; a file given by
 * name must contain a CRD. If several CRDs have the same name, the first one is used: bundles repeat the content of folders, and a real
 * server refuses to create a CRD twice.
 *
 * @throws {MANIFEST_INVALID}
 */
export function loadCrds(paths: readonly string[]): readonly KubeObject[] {
  const crds = new Map<string | undefined, KubeObject>();
  for (const path of paths) {
    const { manifests, folder } = readPath(path, {
      what: 'CRDs',
      flag: '--crds',
      enough: (found) => found.some(isCrd),
    });
    for (const manifest of manifests) {
      if (isCrd(manifest)) {
        if (folder && isPatch(manifest)) continue;
        const crd = checkedCrd(manifest);
        if (!crds.has(crd.metadata.name)) crds.set(crd.metadata.name, crd);
      } else if (!folder && !manifests.some(isCrd)) {
        fail(manifest, `is a ${manifest.object.kind}, expected a ${CRD_KIND}; pass samples with --sample`);
      }
    }
    if (!manifests.some((manifest) => isCrd(manifest) && !isPatch(manifest))) {
      throw invalid(path, undefined, `holds no ${CRD_KIND}; name the file or folder that your CRDs are generated into`);
    }
  }
  return [...crds.values()];
}

/**
 * Loads the objects that a run starts from.
 *
 * @param crds The CRDs named by `--crds`.
 * @param builtIn The kinds that the API server knows without a CRD, as `apiVersion/Kind`.
 * @throws {MANIFEST_INVALID}
 */
export function loadSamples(
  paths: readonly string[],
  crds: readonly KubeObject[],
  builtIn: ReadonlySet<string>,
): readonly KubeObject[] {
  const declared = declaredKinds(crds);
  const samples: KubeObject[] = [];
  for (const path of paths) {
    const { manifests } = readPath(path, { what: 'samples', flag: '--sample' });
    for (const manifest of manifests) {
      const { apiVersion, kind } = manifest.object;
      if (kind === CRD_KIND)
        fail(manifest, `is a ${CRD_KIND}, expected an object to start from; pass definitions with --crds`);
      const known = declared.has(`${apiVersion}/${kind}`) || builtIn.has(`${apiVersion}/${kind}`);
      if (!known) fail(manifest, unknownKindText(manifest.object, declared, builtIn));
      if (typeof manifest.object.metadata.name !== 'string') {
        fail(manifest, `is a ${kind} without metadata.name, expected a name to apply it under; add one`);
      }
      samples.push(manifest.object);
    }
  }
  return samples;
}

function isCrd({ object }: Manifest): boolean {
  return object.kind === CRD_KIND;
}

/** Reports whether a CRD is a kustomize patch, which has the same kind but neither names nor versions. */
function isPatch({ object }: Manifest): boolean {
  const spec = asMap(object['spec']);
  return spec?.['names'] === undefined && spec?.['versions'] === undefined;
}

/**
 * Separates the CRDs from other manifests.
 *
 * @throws {MANIFEST_INVALID} if a CRD cannot be served.
 */
export function crdsAmong(manifests: readonly Manifest[]): {
  readonly crds: readonly KubeObject[];
  readonly rest: readonly Manifest[];
} {
  const definitions = manifests.filter((manifest) => isCrd(manifest) && !isPatch(manifest));
  return { crds: definitions.map(checkedCrd), rest: manifests.filter((manifest) => !isCrd(manifest)) };
}

/** Returns the kinds that CRDs declare and serve, as `apiVersion/Kind`. */
export function declaredKinds(crds: readonly KubeObject[]): ReadonlySet<string> {
  const declared = new Set<string>();
  for (const crd of crds) {
    const spec = asMap(crd['spec']);
    const kind = asMap(spec?.['names'])?.['kind'];
    for (const version of asList(spec?.['versions'])) {
      const { name, served } = asMap(version) ?? {};
      if (served !== false) declared.add(`${textOf(spec?.['group'])}/${textOf(name)}/${textOf(kind)}`);
    }
  }
  return declared;
}

function unknownKindText(
  { apiVersion, kind }: KubeObject,
  declared: ReadonlySet<string>,
  builtIn: ReadonlySet<string>,
): string {
  const sameKind = [...declared, ...builtIn].filter((known) => known.endsWith(`/${kind}`));
  if (sameKind.length > 0) {
    return `is a ${kind} of ${apiVersion}, which is not served, expected ${listText(sameKind)}; change its apiVersion`;
  }
  const choice = declared.size === 0 ? 'no CRD was given' : `the CRDs declare ${listText([...declared])}`;
  return `is a ${kind} of ${apiVersion}, which no CRD declares (${choice}); pass its CRD with --crds`;
}

function listText(kinds: readonly string[]): string {
  return [...kinds].sort().join(', ');
}

/** Returns the CRD after checking that it can be served: it is v1, with names, a scope and a schema for every version. */
function checkedCrd(manifest: Manifest): KubeObject {
  const { object } = manifest;
  if (object.apiVersion !== CRD_VERSION) {
    const removed = object.apiVersion === 'apiextensions.k8s.io/v1beta1' ? ', which Kubernetes 1.22 removed' : '';
    fail(manifest, `is a ${CRD_KIND} of ${object.apiVersion}${removed}, expected ${CRD_VERSION}; generate it again`);
  }
  const spec = asMap(object['spec']);
  const names = asMap(spec?.['names']);
  const name = textOf(object.metadata.name ?? names?.['plural']);
  const missing = [
    ...(typeof spec?.['group'] === 'string' ? [] : ['spec.group']),
    ...(typeof names?.['plural'] === 'string' ? [] : ['spec.names.plural']),
    ...(typeof names?.['kind'] === 'string' ? [] : ['spec.names.kind']),
    ...(asList(spec?.['versions']).length > 0 ? [] : ['spec.versions']),
  ];
  if (missing.length > 0) fail(manifest, `is the CRD "${name}" without ${missing.join(', ')}; generate it again`);
  asList(spec?.['versions']).forEach((version, index) => {
    const { name: versionName, schema } = asMap(version) ?? {};
    if (asMap(asMap(schema)?.['openAPIV3Schema']) === undefined) {
      fail(
        manifest,
        `is the CRD "${name}" whose version "${textOf(versionName)}" has no schema, expected ` +
          `spec.versions[${index}].schema.openAPIV3Schema, which ${CRD_VERSION} requires; generate it again`,
      );
    }
  });
  return object;
}

/**
 * Removes conversion webhooks that cannot be called; the versions of such a CRD then differ in name only. `answered` reports whether a
 * CRD's webhook can be called.
 */
export function withoutConversionWebhooks(
  crds: readonly KubeObject[],
  answered: (crd: KubeObject) => boolean = () => false,
  why = 'its service and deployment are not among what is installed (--manifests adds them)',
): {
  readonly crds: readonly KubeObject[];
  readonly warnings: readonly string[];
} {
  const names: string[] = [];
  const plain = crds.map((crd): KubeObject => {
    const spec = asMap(crd['spec']);
    if (asMap(spec?.['conversion'])?.['strategy'] !== 'Webhook' || answered(crd)) return crd;
    names.push(crd.metadata.name ?? '');
    return { ...crd, spec: { ...spec, conversion: { strategy: 'None' } } };
  });
  if (names.length === 0) return { crds: plain, warnings: [] };
  const all = names.length === 1 ? `the CRD ${names[0]} is` : `the CRDs ${listText(names)} are`;
  const warning = `${all} converted by a webhook, and ${why}: versions are taken to differ in their name only`;
  return { crds: plain, warnings: [warning] };
}
