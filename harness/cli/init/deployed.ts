/**
 * How a project's own Deployment starts the controller: its arguments, and its environment where no manifests are installed.
 *
 * Owns: which Deployment that is, among rendered objects or the files of the repository, and which of its arguments a process can be given
 * beside those that its source was found to have. Start at {@link deployedIn}, {@link withArguments} and {@link withMounted}.
 */
import { basename } from 'node:path';
import { mapOf, mapsOf, textOf, textsOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { argumentsOf, environmentOf, workloadOf } from '../../execution/project/deployment.ts';
import { isWithin } from '../../report/is-within.ts';
import { objectsIn } from './objects-in.ts';
import type { Repository } from './repository.ts';

export interface Deployed {
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** Where its container mounts volumes. */
  readonly mounted: readonly string[];
}

/** Where manifests serve tests, documentation and development. */
export const ASIDE: RegExp = /(^|\/)(tests?|e2e|hack|examples?|samples?|site|docs?|dev[\w-]*|fixtures?|templates)\//i;
/** What a controller is deployed as. */
export const WORKLOADS: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet']);
/** A file with one of them. */
export const WORKLOAD: RegExp = /^kind:\s*["']?(?:Deployment|StatefulSet)\b/m;
const MANAGER = /(?:^|-)(?:manager|operator|controller)(?:$|-)/;
/** Placeholders that only a tool or a shell fills in. */
const UNFILLED = /\{\{|\$[({]/;
/** Names and addresses that a cluster gives a pod, and files that it mounts: only manifests that are installed bring them. */
const MOUNTED = '{files}';

/** @param names what the program and its image may be called */
export function deployedIn(objects: readonly KubeObject[], names: readonly string[]): Deployed | undefined {
  const workloads = objects.filter(({ kind, spec }) => WORKLOADS.has(kind) && containersOf(spec).length > 0);
  const found =
    workloads.find(({ spec }) => containersOf(spec).some((container) => isNamed(container, names))) ??
    workloads.find(({ metadata }) => MANAGER.test(metadata.name ?? ''));
  if (found === undefined) return undefined;
  const container = containersOf(found['spec']).find((one) => isNamed(one, names));
  const program = textsOf(container?.['command'])[0] ?? names[0] ?? '';
  const workload = workloadOf(found, program, 'default');
  const env = Object.entries(environmentOf(workload, objects).values);
  return {
    args: argumentsOf(workload, objects).args.filter((word) => !UNFILLED.test(word.replaceAll(PORT, ''))),
    env: Object.fromEntries(env.filter(([, value]) => !value.includes(MOUNTED) && !UNFILLED.test(value))),
    mounted: mapsOf(workload.container['volumeMounts'])
      .map(({ mountPath }) => textOf(mountPath))
      .filter((path) => path !== ''),
  };
}

const PORT = /\{port:[^}]*\}/g;

/** Whether an object is the workload of the controller. */
export function isController({ kind, metadata, spec }: KubeObject, names: readonly string[]): boolean {
  const containers = WORKLOADS.has(kind) ? containersOf(spec) : [];
  if (containers.length === 0) return false;
  return MANAGER.test(metadata.name ?? '') || containers.some((container) => isNamed(container, names));
}

/** The objects of all files that could hold the Deployment. */
export function deployments({ files, text }: Repository): readonly KubeObject[] {
  return files
    .filter((file) => /\.ya?ml$/.test(file) && !ASIDE.test(file) && WORKLOAD.test(text(file)))
    .flatMap((file) => objectsIn(file, text(file), true));
}

function containersOf(spec: KubeObject['spec']): readonly ReturnType<typeof mapOf>[] {
  return mapsOf(mapOf(mapOf(mapOf(spec)['template'])['spec'])['containers']);
}

function isNamed(container: ReturnType<typeof mapOf>, names: readonly string[]): boolean {
  const program = basename(textsOf(container['command'])[0] ?? '');
  const image = basename(textOf(container['image']).replace(/[@:][^/]*$/, ''));
  return names.includes(program) || names.includes(image);
}

/** The command with the Deployment's arguments; where both say the same flag, the command's own are kept: they fit a process. */
export function withArguments(command: readonly string[], { args }: Deployed, mountsFiles: boolean): readonly string[] {
  const own = new Set(command.slice(1).map(flagOf));
  const added: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    const next = args[at + 1];
    const takesNext = word.startsWith('-') && !word.includes('=') && next !== undefined && !next.startsWith('-');
    const words = takesNext ? [word, next] : [word];
    if (takesNext) at++;
    // A subcommand that the source was found to have is among the Deployment's arguments as well.
    const isKnown = own.has(word.startsWith('-') ? flagOf(word) : word);
    if (!isKnown && (mountsFiles || !words.some((one) => one.includes(MOUNTED)))) added.push(...words);
  }
  return [...command, ...added];
}

/** Where a process finds mounted files as a pod does (docs/manifests.md). */
const IN_PLACE = /^\/(?:tmp|var|run)\//;

/** The command with those flags that lead to mounted files by default, where a process would not find them there. */
export function withMounted(
  command: readonly string[],
  { mounted }: Deployed,
  pathFlags: { readonly [flag: string]: string },
): readonly string[] {
  const own = new Set(command.slice(1).map(flagOf));
  const added = Object.entries(pathFlags)
    .filter(([flag, path]) => !own.has(flag) && !IN_PLACE.test(path) && mounted.some((place) => isWithin(path, place)))
    .map(([flag, path]) => `--${flag}=${MOUNTED}${path}`);
  return [...command, ...added];
}

function flagOf(word: string): string {
  return word.replace(/^--?/, '').replace(/=.*$/, '');
}
