/**
 * Kubernetes manifests from YAML or JSON files: the CRDs and the sample.
 *
 * Owns: reading, and saying where a file is wrong: file, line, what stands there, what was expected, what to do.
 * Does not own: validation against a schema, which is the API server's when the objects are applied.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter, parseAllDocuments, type Document } from 'yaml';
import { HarnessError } from '../model/errors.ts';
import type { JsonObject, KubeObject } from '../model/object.ts';

/** An object and where it stands. */
export interface Manifest {
  readonly object: KubeObject;
  readonly file: string;
  readonly line: number;
}

const MANIFEST_FILE = /\.(ya?ml|json)$/;
const CRD_KIND = 'CustomResourceDefinition';
const CRD_VERSION = 'apiextensions.k8s.io/v1';

/**
 * Reads the CRDs of files and folders. A folder may hold other manifests too; a file named itself must hold a CRD.
 *
 * @throws {MANIFEST_INVALID}
 */
export function loadCrds(paths: readonly string[]): readonly KubeObject[] {
  const crds: KubeObject[] = [];
  for (const path of paths) {
    const { manifests, folder } = loadPath(path, 'CRDs', '--crds');
    for (const manifest of manifests) {
      if (manifest.object.kind === CRD_KIND) crds.push(checkedCrd(manifest));
      else if (!folder) {
        fail(manifest, `is a ${manifest.object.kind}, expected a ${CRD_KIND}; pass samples with --sample`);
      }
    }
    if (!manifests.some(({ object }) => object.kind === CRD_KIND)) {
      throw invalid(path, undefined, `holds no ${CRD_KIND}; name the file or folder that your CRDs are generated into`);
    }
  }
  return crds;
}

/**
 * Reads the objects that a run starts from.
 *
 * @param crds what `--crds` named
 * @param builtIn `apiVersion/Kind` of the kinds that the API server knows without a CRD
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
    const { manifests } = loadPath(path, 'samples', '--sample');
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

/** `apiVersion/Kind` of what CRDs declare and serve. */
function declaredKinds(crds: readonly KubeObject[]): ReadonlySet<string> {
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

function loadPath(
  path: string,
  what: string,
  flag: string,
): { readonly manifests: readonly Manifest[]; readonly folder: boolean } {
  let folder: boolean;
  let files: readonly string[];
  try {
    folder = statSync(path).isDirectory();
    files = folder
      ? readdirSync(path)
          .filter((name) => MANIFEST_FILE.test(name))
          .sort()
          .map((name) => join(path, name))
      : [path];
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw invalid(path, undefined, `${reason}, expected a YAML file or a folder with ${what}; check ${flag}`, error);
  }
  if (files.length === 0) {
    throw invalid(path, undefined, `is a folder without YAML or JSON files, expected ${what}; check ${flag}`);
  }
  return { manifests: files.flatMap((file) => readManifests(file, folder)), folder };
}

/** Reads one file. In a folder, what is no Kubernetes object at all (a kustomization, a values file) is passed over. */
function readManifests(file: string, lenient: boolean): readonly Manifest[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw invalid(file, undefined, 'cannot be read, expected a YAML file; check its path and permissions', error);
  }
  const lines = new LineCounter();
  // Anchors and merge keys are common in hand-written manifests.
  const documents = parseAllDocuments(text, { lineCounter: lines, merge: true });
  const manifests: Manifest[] = [];
  for (const document of 'empty' in documents ? [] : documents) {
    const error = document.errors[0];
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      const reason = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
      throw invalid(file, line, `column ${col} is malformed: ${reason}; expected YAML, correct it and run again`);
    }
    const value: unknown = document.toJS();
    if (value === null || value === undefined) continue;
    const line = lineOf(document, lines);
    for (const item of itemsOf(value)) {
      const problem = objectProblem(item);
      if (problem === undefined) manifests.push({ object: item as KubeObject, file, line });
      else if (!lenient) throw invalid(file, line, problem);
    }
  }
  if (manifests.length === 0 && !lenient) {
    throw invalid(file, undefined, 'holds no object, expected Kubernetes manifests in YAML; check the path');
  }
  return manifests;
}

/** `kind: List` stands for its items, as `kubectl` has it. */
function itemsOf(value: unknown): readonly unknown[] {
  const map = asMap(value);
  return map?.['apiVersion'] === 'v1' && map['kind'] === 'List' ? asList(map['items']) : [value];
}

function objectProblem(value: unknown): string | undefined {
  const map = asMap(value);
  if (map === undefined) {
    return `is ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}, expected a Kubernetes object with apiVersion, kind and metadata`;
  }
  for (const field of ['apiVersion', 'kind'] as const) {
    if (typeof map[field] !== 'string' || map[field] === '') {
      return `has no ${field}, expected a Kubernetes object with apiVersion, kind and metadata; add it`;
    }
  }
  if (asMap(map['metadata']) === undefined)
    return `is a ${textOf(map['kind'])} without metadata, expected at least a name`;
  return undefined;
}

/** A CRD that can be served: of v1, with names, a scope and a schema for every served version. */
function checkedCrd(manifest: Manifest): KubeObject {
  const { object } = manifest;
  if (object.apiVersion !== CRD_VERSION) {
    const removed = object.apiVersion === 'apiextensions.k8s.io/v1beta1' ? ', which Kubernetes 1.22 removed' : '';
    fail(manifest, `is a ${CRD_KIND} of ${object.apiVersion}${removed}, expected ${CRD_VERSION}; generate it anew`);
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
  if (missing.length > 0) fail(manifest, `is the CRD "${name}" without ${missing.join(', ')}; generate it anew`);
  asList(spec?.['versions']).forEach((version, index) => {
    const { name: versionName, schema } = asMap(version) ?? {};
    if (asMap(asMap(schema)?.['openAPIV3Schema']) === undefined) {
      fail(
        manifest,
        `is the CRD "${name}" whose version "${textOf(versionName)}" has no schema, expected ` +
          `spec.versions[${index}].schema.openAPIV3Schema, which ${CRD_VERSION} requires; generate it anew`,
      );
    }
  });
  return object;
}

function lineOf(document: Document, lines: LineCounter): number {
  return lines.linePos(document.contents?.range?.[0] ?? 0).line;
}

function fail(manifest: Manifest, problem: string): never {
  throw invalid(manifest.file, manifest.line, problem);
}

function invalid(file: string, line: number | undefined, problem: string, cause?: unknown): HarnessError {
  const where = line === undefined ? `"${file}"` : `"${file}" line ${line}`;
  return new HarnessError('MANIFEST_INVALID', `${where} ${problem}`, {
    ...(cause === undefined ? {} : { cause }),
    details: { file, line },
  });
}

function asMap(value: unknown): JsonObject | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
