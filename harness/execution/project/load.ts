/**
 * The objects that a project ships, from files and folders: kustomize or helm output, or plain manifests.
 *
 * Owns: reading them, rendering a kustomization if kubectl is installed, and separating the CRDs from the rest. Does not own: the use of
 * the objects (`deployment.ts`), creating them on a server (`install.ts`). Start at {@link loadProject}.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { HarnessError } from '../../model/errors.ts';
import { parseManifests, readPath, type Manifest } from './manifest-files.ts';
import { crdsAmong } from './manifests.ts';

export interface Project {
  readonly crds: readonly KubeObject[];
  /** All objects other than CRDs, in the order of the files. */
  readonly objects: readonly KubeObject[];
  readonly warnings: readonly string[];
}

const KUSTOMIZATIONS = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/**
 * Reads manifests; reads folders recursively, and has kubectl render a kustomization.
 *
 * @throws {MANIFEST_INVALID}
 */
export function loadProject(paths: readonly string[]): Project {
  const warnings: string[] = [];
  const manifests = paths.flatMap((path) => readProject(path, warnings));
  const { crds, rest } = crdsAmong(manifests);
  return { crds: unique(crds), objects: unique(rest.map(({ object }) => object)), warnings };
}

function readProject(path: string, warnings: string[]): readonly Manifest[] {
  if (!KUSTOMIZATIONS.some((name) => existsSync(join(path, name)))) return read(path);
  const rendered = spawnSync('kubectl', ['kustomize', path], { encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX });
  if (rendered.error !== undefined) {
    warnings.push(
      `"${path}" is a kustomization, and there is no kubectl to render it: its files are used as they are, without ` +
        'patches, prefixes and generators; render it yourself and name the output with --manifests',
    );
    return read(path);
  }
  if (rendered.status !== 0) {
    throw new HarnessError(
      'MANIFEST_INVALID',
      `"${path}" is a kustomization that kubectl cannot render: ${rendered.stderr.trim().split('\n').at(-1) ?? ''}; ` +
        'correct it, or name the rendered file with --manifests',
    );
  }
  return parseManifests(rendered.stdout, path, false);
}

/** The maximum output of kubectl: larger than any project's manifests. */
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

function read(path: string): readonly Manifest[] {
  return readPath(path, { what: 'manifests', flag: '--manifests', enough: () => false }).manifests;
}

/** Returns the objects without duplicates; of several with the same identity, the last one is kept. */
function unique(objects: readonly KubeObject[]): readonly KubeObject[] {
  const byKey = new Map<string, KubeObject>();
  for (const object of objects) {
    const { namespace = '', name = '' } = object.metadata;
    byKey.set(`${object.apiVersion}/${object.kind}/${namespace}/${name}`, object);
  }
  return [...byKey.values()];
}
