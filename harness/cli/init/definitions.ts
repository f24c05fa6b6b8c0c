/** Which CRDs a project has, and which files or folders name them best. */
import { posix } from 'node:path';
import { parseManifests } from '../../execution/project/manifest-files.ts';
import { crdsAmong } from '../../execution/project/manifests.ts';
import type { KubeObject } from '../../model/object.ts';
import type { Repository } from './repository.ts';

export interface Definitions {
  readonly crds: readonly KubeObject[];
  /** For `crds` of the configuration: a folder that holds nothing else, or files. */
  readonly paths: readonly string[];
  /** What could not be read, and why. */
  readonly notes: readonly string[];
}

/** Where generators put them; what stands elsewhere is a copy more often than not. */
const PLACES: readonly RegExp[] = [
  /(^|\/)config\/crd\/bases\//,
  /(^|\/)config\/crds?\//,
  /(^|\/)crds?\//,
  /(^|\/)(deploy|deployment|manifests|install|k8s|kubernetes|yaml)\//,
  /(^|\/)charts?\//,
];
/** Definitions of others, which tests need. */
const FOREIGN = /(^|\/)(tests?|e2e|hack|examples?|fixtures?)\//i;

/** @param files by default those of the repository: what a build makes may be looked at beside them. */
export function findDefinitions(repository: Repository, files: readonly string[] = repository.files): Definitions {
  const notes: string[] = [];
  const byName = new Map<string, { readonly crd: KubeObject; readonly file: string }>();
  const candidates = files.filter((file) => /\.(ya?ml|json)$/.test(file));
  for (const file of candidates.toSorted((a, b) => rank(a) - rank(b))) {
    const text = repository.text(file);
    if (!/kind["']?\s*:\s*["']?CustomResourceDefinition\b/.test(text)) continue;
    const crds = read(file, text, notes);
    for (const crd of crds) {
      const name = crd.metadata.name ?? '';
      if (!byName.has(name)) byName.set(name, { crd, file });
    }
  }
  const found = [...byName.values()];
  return {
    crds: found.map(({ crd }) => crd),
    paths: pathsOf([...new Set(found.map(({ file }) => file))], repository),
    notes,
  };
}

function rank(file: string): number {
  const place = PLACES.findIndex((pattern) => pattern.test(file));
  return (place < 0 ? PLACES.length : place) + (FOREIGN.test(file) ? 10 : 0);
}

function read(file: string, text: string, notes: string[]): readonly KubeObject[] {
  if (/\{\{[-\s]/.test(text)) {
    notes.push(
      `${file} is a template of Helm: if its CRDs are missing, render it ("helm template") and add the output to "crds"`,
    );
    return [];
  }
  try {
    return crdsAmong(parseManifests(text, file, true)).crds;
  } catch (error) {
    notes.push(`passed over: ${(error as Error).message}`);
    return [];
  }
}

/** A folder that holds several and nothing but definitions stands for them, and for those to come. */
function pathsOf(files: readonly string[], { files: all }: Repository): readonly string[] {
  const chosen = new Set(files);
  const paths = files.map((file) => {
    const folder = posix.dirname(file);
    const beside = all.filter((other) => posix.dirname(other) === folder && /\.(ya?ml|json)$/.test(other));
    const whole = folder !== '.' && beside.every((other) => chosen.has(other)) && /crd|bases/.test(folder);
    return whole ? folder : file;
  });
  return [...new Set(paths)];
}
