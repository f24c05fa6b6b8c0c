/**
 * Renders an overlay without its remote bases, from a copy that omits them.
 *
 * Projects refer to CRDs of other projects by URL, and rendering such references would access the network. Start at {@link
 * renderLocally}.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { parse, stringify } from 'yaml';
import { isRecord } from 'stalemate-apiserver/objects/json';
import { isRemote, NAMES, NAMING } from './kustomizations.ts';
import { rendered } from './prepare.ts';
import type { Repository } from './repository.ts';

/** Maximum number of copied files: manifests and input of generators. A larger folder is not a folder of manifests. */
const FILES_MAX = 5_000;

/**
 * @returns the output of `kubectl kustomize` for the folder; undefined unless there is output with exactly one Deployment.
 */
export function renderLocally(repository: Repository, folder: string): string | undefined {
  const top = folder.split('/')[0] ?? folder;
  const files = repository.files.filter((file) => file.startsWith(`${top}/`));
  if (files.length > FILES_MAX) return undefined;
  const copy = mkdtempSync(join(tmpdir(), 'stalemate-overlay-'));
  try {
    for (const file of files) {
      const path = join(copy, file);
      mkdirSync(join(path, '..'), { recursive: true });
      const text = repository.text(file);
      writeFileSync(path, NAMES.has(posix.basename(file)) ? withoutRemote(repository, file, text) : text);
    }
    const text = rendered(folder, copy);
    return text?.match(/^kind: Deployment$/gm)?.length === 1 ? text : undefined;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function withoutRemote(repository: Repository, file: string, text: string): string {
  try {
    const kustomization: unknown = parse(text);
    if (!isRecord(kustomization)) return text;
    const folder = posix.dirname(file);
    const kept = Object.entries(kustomization).map(([field, value]) =>
      NAMING.includes(field) && Array.isArray(value)
        ? [field, value.filter((entry) => typeof entry !== 'string' || !leadsOut(repository, folder, entry))]
        : [field, value],
    );
    return stringify(Object.fromEntries(kept));
  } catch {
    return text;
  }
}

/** Reports whether to omit an entry: a URL, or a kustomization of URLs only, because kustomize refuses an empty kustomization. */
function leadsOut(repository: Repository, folder: string, entry: string): boolean {
  if (isRemote(entry)) return true;
  const inner = posix.join(folder, entry);
  const file = [...NAMES].map((name) => posix.join(inner, name)).find((path) => repository.exists(path));
  if (file === undefined) return false;
  try {
    const kustomization: unknown = parse(repository.text(file));
    const named = NAMING.flatMap((field) => (isRecord(kustomization) ? (kustomization[field] ?? []) : []));
    return named.length > 0 && named.every((one) => typeof one === 'string' && leadsOut(repository, inner, one));
  } catch {
    return false;
  }
}
