/**
 * Reads from a project's own Deployment how the controller is started: its arguments, and its environment variables if no manifests are
 * installed.
 *
 * Owns: which Deployment of the rendered objects or the repository that is, and which of its arguments a process can use in addition to
 * those detected in its source. Start at {@link deployedIn}, {@link withArguments} and {@link withMounted}.
 */
import { basename } from 'node:path';
import { mapOf, mapsOf, textOf, textsOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { argumentsOf, environmentOf, workloadOf, type TargetWorkload } from '../../execution/project/deployment.ts';
import { mostGranted } from '../../execution/project/grants.ts';
import { isWithin } from '../../report/is-within.ts';
import { objectsIn } from './objects-in.ts';
import type { Repository } from './repository.ts';

export interface Deployed {
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** Mount paths of the container's volumes. */
  readonly mounted: readonly string[];
  /** Subcommands that are only given to other workloads of the same image. */
  readonly elsewhere: readonly string[];
}

/** Folders with manifests for tests, documentation and development. */
export const ASIDE: RegExp = /(^|\/)(tests?|e2e|hack|examples?|samples?|site|docs?|dev[\w-]*|fixtures?|templates)\//i;
/** Kinds of workloads that run controllers. */
export const WORKLOADS: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet']);
/** Matches a file with a workload. */
export const WORKLOAD: RegExp = /^kind:\s*["']?(?:Deployment|StatefulSet)\b/m;
const MANAGER = /(?:^|-)(?:manager|operator|controller)(?:$|-)/;
/** Placeholders that a tool or a shell replaces. */
const UNFILLED = /\{\{|\$[({]/;
/** Placeholder for pod names, addresses and mounted files, which only installed manifests provide. */
const MOUNTED = '{files}';

/** @param names - Possible names of the program and its image. */
export function deployedIn(objects: readonly KubeObject[], names: readonly string[]): Deployed | undefined {
  const named = objects.filter((object) => startsOneOf(object, names));
  // One image may serve as controller, webhook and helper, each with a subcommand.
  const found = mostGranted(objects, named) ?? named[0] ?? objects.find((object) => isController(object, names));
  if (found === undefined) return undefined;
  const startedBy = (object: KubeObject): TargetWorkload => {
    const container = containersOf(object['spec']).find((one) => isNamed(one, names));
    return workloadOf(object, textsOf(container?.['command'])[0] ?? names[0] ?? '', 'default');
  };
  const workload = startedBy(found);
  const args = argumentsOf(workload, objects).filter((word) => !UNFILLED.test(word.replaceAll(PORT, '')));
  const others = named
    .filter((object) => object !== found)
    .flatMap((object) => subcommandsIn(argumentsOf(startedBy(object), objects)));
  const env = Object.entries(environmentOf(workload, objects).values);
  return {
    args,
    elsewhere: others.filter((word) => !args.includes(word)),
    env: Object.fromEntries(env.filter(([, value]) => !value.includes(MOUNTED) && !UNFILLED.test(value))),
    mounted: mapsOf(workload.container['volumeMounts'])
      .map(({ mountPath }) => textOf(mountPath))
      .filter((path) => path !== ''),
  };
}

/** Returns the words before the first flag, except files. */
function subcommandsIn(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word.startsWith('-'));
  return words.slice(0, end < 0 ? words.length : end).filter((word) => !/[./]/.test(word));
}

const PORT = /\{port:[^}]*\}/g;

/** Reports whether an object is a workload with a container whose program or image has one of these names. */
export function startsOneOf({ kind, spec }: KubeObject, names: readonly string[]): boolean {
  return WORKLOADS.has(kind) && containersOf(spec).some((container) => isNamed(container, names));
}

/** Reports whether an object is the workload of the controller. */
export function isController(object: KubeObject, names: readonly string[]): boolean {
  const { kind, metadata, spec } = object;
  if (!WORKLOADS.has(kind) || containersOf(spec).length === 0) return false;
  return MANAGER.test(metadata.name ?? '') || startsOneOf(object, names);
}

/** Returns the lines of the project's Dockerfiles that start a program. */
export function entrypointsIn({ files, text }: Repository): readonly string[] {
  return files
    .filter((file) => /(?:^|[/.-])(?:Dockerfile|Containerfile)/i.test(file))
    .flatMap((file) => text(file).match(/^\s*(?:ENTRYPOINT|CMD)\b.*$/gim) ?? []);
}

/** Returns the objects of all files that could contain the Deployment. */
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

/**
 * Adds the Deployment's arguments to the command, its subcommands before any flag, and drops subcommands that only other workloads get, or
 * that neither it nor its image has. If both set the same flag, the command's own value stays, because it is meant for a process.
 *
 * @param entrypoints - The lines of the project's Dockerfiles that start a program; absent if they do not matter.
 */
export function withArguments(
  guessed: readonly string[],
  { args, elsewhere }: Pick<Deployed, 'args' | 'elsewhere'>,
  mountsFiles: boolean,
  entrypoints?: readonly string[],
): readonly string[] {
  const isOfImage = (word: string): boolean =>
    entrypoints === undefined || entrypoints.some((line) => line.split(/[\s"',[\]]+/).includes(word));
  const wrong = subcommandsIn(guessed.slice(1)).filter(
    (word) => elsewhere.includes(word) || (args.length > 0 && !args.includes(word) && !isOfImage(word)),
  );
  const [program = '', ...rest] = guessed.filter((word, at) => at === 0 || !wrong.includes(word));
  const missing = subcommandsIn(args).filter((word) => !rest.includes(word));
  const command = [program, ...missing, ...rest];
  const own = new Set(command.slice(1).map(flagOf));
  const added: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    const next = args[at + 1];
    const takesNext = word.startsWith('-') && !word.includes('=') && next !== undefined && !next.startsWith('-');
    const words = takesNext ? [word, next] : [word];
    if (takesNext) at++;
    // A subcommand that was detected in the source is also among the Deployment's arguments.
    const isKnown = own.has(word.startsWith('-') ? flagOf(word) : word);
    if (!isKnown && (mountsFiles || !words.some((one) => one.includes(MOUNTED)))) added.push(...words);
  }
  return [...command, ...added];
}

/** Paths at which a process, like a pod, finds mounted files (docs/manifests.md). */
const IN_PLACE = /^\/(?:tmp|var|run)\//;

/** Adds flags whose default is a mounted path that a process would not find. */
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
