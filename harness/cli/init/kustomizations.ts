/** Kustomizations, as `init` looks at them before anybody has said yes: rendering one may ask the network. */
import { posix } from 'node:path';
import { parse } from 'yaml';
import type { Repository } from './repository.ts';

const NAMES: ReadonlySet<string> = new Set(['kustomization.yaml', 'kustomization.yml', 'Kustomization']);
/** Where a kustomization names others, or files. */
const NAMING = ['resources', 'bases', 'components', 'crds', 'configurations', 'generators', 'transformers'];
/** As kustomize tells addresses from paths: a scheme, a host before the path, or what only git understands. */
const REMOTE =
  /:\/\/|^git@|^[\w-]+(?:\.[\w-]+)+\/.*(?:\/\/|\?ref=|\.git)|^github\.com[/:]|\?(?:ref|version|timeout|submodules)=/;

/** Whether one of the project's kustomizations leads out of it; also where that cannot be told. */
export function namesRemoteBase({ files, text }: Repository): boolean {
  return files.filter((file) => NAMES.has(posix.basename(file))).some((file) => isRemote(text(file)));
}

function isRemote(text: string): boolean {
  try {
    const kustomization = parse(text) as { readonly [key: string]: unknown } | null;
    return NAMING.flatMap((key) => kustomization?.[key] ?? []).some(
      (entry) => typeof entry === 'string' && REMOTE.test(entry),
    );
  } catch {
    return true;
  }
}
