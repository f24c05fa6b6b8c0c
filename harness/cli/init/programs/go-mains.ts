/**
 * Finds out which main package of a Go project is its manager, by evidence in Dockerfiles, the Makefile and Deployments.
 *
 * Owns: the evidence for each package, and its weight. Does not own: how the package is built and started (`go.ts`). Start at
 * {@link rankMains}.
 */
import { posix } from 'node:path';
import { has, placeIn, type Repository } from '../repository.ts';

export interface Main {
  /** For example `.` or `cmd/manager`. */
  readonly folder: string;
  readonly weight: number;
  /** The evidence in words, the heaviest first. */
  readonly why: readonly string[];
  /** The program's name as the project builds it. If unknown: the name of its folder, or of the module if the folder is `.` or `cmd`. */
  readonly binary: string;
}

/** Usual places of the main package, in order of preference, if there is no other evidence. */
const PLACES: readonly RegExp[] = [
  /^cmd\/main\.go$/,
  /^main\.go$/,
  /^cmd\/(manager|operator|controller)\/main\.go$/,
  /^cmd\//,
];
/** Folders for tests, documentation and development. */
const ASIDE = /(^|\/)(tests?|e2e[\w-]*|hack|examples?|samples?|site|docs?|dev[\w-]*|fixtures?|experimental)\//i;
const CONTAINER_FILE = /(^|\/)(Dockerfile|Containerfile)[^/]*$/;
const WEIGHT = { image: 4, deployment: 4, daemonSet: 1, makefile: 3, besideItself: 2, manager: 2, project: 2 } as const;

/** What the sources of the programs say. */
export interface MainFacts {
  /** The number of the repository's packages in a program: of two programs that are deployed alike, the larger one is the manager. */
  readonly size?: (folder: string) => number;
  /** Reports whether the program creates a manager of controller-runtime, not only informers. */
  readonly makesManager?: (folder: string) => boolean;
  /** The name of the program that the user wants to run. */
  readonly wanted?: string;
}

/** Returns the packages: first the one that builds the wanted program, then the others, the one with the most evidence first. */
export function rankMains(
  repository: Repository,
  folders: readonly string[],
  module: string,
  { size = () => 0, makesManager = () => false, wanted }: MainFacts = {},
): readonly Main[] {
  const evidence = new Map(folders.map((folder) => [folder, new Map<string, number>()]));
  const note = (folder: string | undefined, why: string, weight: number): void => {
    const found = folder === undefined ? undefined : evidence.get(folder);
    found?.set(why, Math.max(weight, found.get(why) ?? 0));
  };
  const built = new Map<string, string>();
  for (const folder of folders) {
    if (makesManager(folder)) note(folder, 'it creates a manager', WEIGHT.manager);
    if (folder !== '.' && has(repository, posix.join(folder, 'PROJECT')))
      note(folder, `${folder}/PROJECT describes it`, WEIGHT.project);
  }
  for (const file of repository.files) {
    const isContainer = CONTAINER_FILE.test(file);
    if ((!isContainer && !/^Makefile(\.\w+)?$/.test(file)) || ASIDE.test(file)) continue;
    for (const { output, source } of buildsIn(repository.text(file))) {
      const folder = folderOf(source, folders, module);
      if (folder === undefined) continue;
      if (output !== '') built.set(posix.basename(output), folder);
      // A Dockerfile beside a package builds only that package; one at the top builds what the project ships.
      const weight = isContainer ? (posix.dirname(file) === '.' ? WEIGHT.image : WEIGHT.besideItself) : WEIGHT.makefile;
      note(folder, `${file} builds it`, weight);
    }
  }
  for (const { file, kind, words } of workloadsIn(repository)) {
    for (const word of words) {
      const folder = built.get(word) ?? folders.find((one) => posix.basename(one) === word);
      note(folder, `${file} deploys it`, kind === 'Deployment' ? WEIGHT.deployment : WEIGHT.daemonSet);
    }
  }
  const usualName = (folder: string): string => posix.basename(folder === '.' || folder === 'cmd' ? module : folder);
  const nameOf = (folder: string): string =>
    [...built].find(([name, from]) => from === folder && /^[a-z][\w-]*$/.test(name))?.[0] ?? usualName(folder);
  const isWanted = (folder: string): boolean =>
    wanted !== undefined && [nameOf(folder), usualName(folder), posix.basename(folder)].includes(wanted);
  return folders
    .map((folder): Main => {
      const found = [...(evidence.get(folder) ?? [])].toSorted(([, a], [, b]) => b - a);
      const weight = found.reduce((sum, [, one]) => sum + one, 0);
      return { folder, weight, why: found.map(([why]) => why), binary: nameOf(folder) };
    })
    .toSorted(
      (a, b) =>
        Number(isWanted(b.folder)) - Number(isWanted(a.folder)) ||
        b.weight - a.weight ||
        placeOf(a.folder) - placeOf(b.folder) ||
        size(b.folder) - size(a.folder),
    );
}

function placeOf(folder: string): number {
  return placeIn(PLACES, posix.join(folder, 'main.go'));
}

/** Matches calls of `go`, including those by a variable: `$(GO_CMD) build`. */
const GO = /(?:\bgo|\$[({]\w*GO\w*[)}]) (?:build|run|install)\b(.*)$/;

/** Returns the packages or files that `go build` and similar commands are called with, without the values of flags. */
function buildsIn(text: string): readonly { readonly output: string; readonly source: string }[] {
  const lines = text.replaceAll(/\\\r?\n/g, ' ').split('\n');
  return lines.flatMap((line) => {
    const found = GO.exec(line);
    if (found === null) return [];
    const [command = ''] = (found[1] ?? '').split(/&&|\|\||;|>/);
    const words: readonly string[] = command.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
    const output = words[words.indexOf('-o') + 1] ?? '';
    const sources = words.filter(
      (word, at) => /^[\w./$(){}-]+$/.test(word) && !word.startsWith('-') && words[at - 1] !== '-o',
    );
    const source = sources.findLast((word) => /\.go$|^\.|\//.test(word)) ?? '';
    return source === '' ? [] : [{ output: words.includes('-o') ? output : '', source }];
  });
}

/** Returns the folder of a source such as `./cmd/manager/main.go`, `cmd/manager`, `example.com/op/cmd/manager` or `.`. */
function folderOf(source: string, folders: readonly string[], module: string): string | undefined {
  const inside = source.startsWith(`${module}/`) ? source.slice(module.length + 1) : source;
  const plain = posix
    .normalize(inside.replace(/\/?[\w*-]+\.go$/, '') || '.')
    .replace(/^\.\//, '')
    .replace(/(?<=.)\/$/, '');
  return folders.find((folder) => folder === plain);
}

/** Returns the names of programs, images and containers in the workloads of the project's manifests. */
function workloadsIn({ files, text }: Repository): readonly { file: string; kind: string; words: readonly string[] }[] {
  return files
    .filter((file) => /\.ya?ml$/.test(file) && !ASIDE.test(file))
    .flatMap((file) =>
      text(file)
        .split(/^---\s*$/m)
        .flatMap((document) => {
          const kind = /^kind:\s*["']?(Deployment|StatefulSet|DaemonSet)\b/m.exec(document)?.[1];
          if (kind === undefined) return [];
          const images = [...document.matchAll(/^\s*-?\s*image:\s*["']?([^\s"'{}]+)/gm)].map(([, image = '']) =>
            posix.basename(image.replace(/[@:][^/]*$/, '')),
          );
          const programs = [...document.matchAll(/command:\s*(?:\[\s*|\n\s*-\s*)["']?\/?([\w./-]+)/g)].map(
            ([, program = '']) => posix.basename(program),
          );
          // A container is often named after its program, while the image is named after the project.
          const containers = [...document.matchAll(/^\s*(?:- )?name:\s*["']?([\w-]+)/gm)].map(([, name = '']) => name);
          return [{ file, kind, words: [...programs, ...images, ...containers] }];
        }),
    );
}
