/** Detects Go programs: kubebuilder and operator-sdk layouts, and any other main package that creates a manager or an informer. */
import { posix } from 'node:path';
import { given } from '../../../model/given.ts';
import { has, type Repository } from '../repository.ts';
import { goModules, goPackages, modulePath, type GoModule, type GoPackages } from './go-closure.ts';
import { rankMains, type Main } from './go-mains.ts';
import type { Program } from './program.ts';

const RUNTIME_MANAGER = /\b(?:ctrl|manager)\.(?:NewManager|New)\(/;
const MANAGER = new RegExp(`${RUNTIME_MANAGER.source}|NewSharedInformerFactory|\\bmgr\\.Start\\(`);

/** @param wanted - The name of the program that the user wants to run, if any. */
export function goProgram(repository: Repository, wanted?: string): Program | undefined {
  const module = repository.text('go.mod');
  if (!/sigs\.k8s\.io\/controller-runtime|k8s\.io\/client-go/.test(module)) return undefined;
  const runtime = module.includes('controller-runtime') ? 'controller-runtime' : 'client-go';
  const common = { language: `Go, ${runtime}`, setUp: 'go' } as const;
  const modules = goModules(repository);
  const packages = goPackages(repository, modules);
  const mains = mainPackages(repository, moduleName(module), packages, wanted);
  const [main, ...others] = mains;
  if (main === undefined)
    return { ...common, command: [], elects: false, notes: ['no package main in the repository makes a manager'] };
  const chosen = main.folder;
  const source = packages.at(chosen).text;
  const called = packages.closure(chosen).slice(1);
  // In other packages the same word may mean something else, so only a call that defines a flag counts there.
  const flag = (name: string): boolean =>
    source.includes(`"${name}"`) || called.some(({ text }) => definesFlag(text, name));
  const makefile = repository.text('Makefile');
  // The usual name, unless another program of the project has it.
  const usual = /\bbin\/(manager|operator)\b/.exec(makefile)?.[0];
  const isFree = others.every((other) => `bin/${other.binary}` !== usual);
  const binary = usual !== undefined && isFree ? usual : `bin/${main.binary}`;
  const metrics = flag('metrics-bind-address');
  return {
    ...common,
    command: [
      binary,
      ...subcommandOf(packages.closure(chosen), repository),
      // controller-runtime reads KUBECONFIG, but other programs may only read their own flag.
      ...(flag('kubeconfig') ? ['--kubeconfig={kubeconfig}'] : []),
      ...leaderElectionOff(packages.closure(chosen)),
      ...(metrics ? ['--metrics-bind-address=127.0.0.1:{port:metrics}'] : []),
      ...(flag('metrics-secure') ? ['--metrics-secure=false'] : []),
      ...(flag('health-probe-bind-address') ? ['--health-probe-bind-address=127.0.0.1:{port:probes}'] : []),
    ],
    ...(source.includes('ENABLE_WEBHOOKS') ? { withoutWebhooks: { ENABLE_WEBHOOKS: 'false' } } : {}),
    ...(metrics ? { metrics: 'http://127.0.0.1:{port:metrics}/metrics' } : {}),
    names: [...new Set([posix.basename(binary), main.binary, posix.basename(moduleName(module))])],
    pathFlags: pathFlagsIn(packages.closure(chosen)),
    elects: flag('leader-elect') || flag('enable-leader-election'),
    ...buildOf(chosen, binary, modules),
    ...(others.length > 0 ? { others: others.map((other) => `bin/${other.binary}`) } : {}),
    ignored: repository.text('.gitignore').match(/^\/?bin\b/m) === null ? [`/${binary}`] : [],
    notes: [
      ...(others.length > 0 ? [takenText(main, others)] : []),
      ...(/SetupWebhook/.test(source) && !source.includes('ENABLE_WEBHOOKS')
        ? ['it serves webhooks: with "manifests" they are called, and have certificates']
        : []),
    ],
  };
}

/** Returns how a main package is built: a nested module is built in its own folder. */
function buildOf(main: string, binary: string, modules: readonly GoModule[]): Pick<Program, 'build' | 'module'> {
  const inFolder = ({ folder }: GoModule): boolean => folder === '.' || `${main}/`.startsWith(`${folder}/`);
  const folder = modules.findLast(inFolder)?.folder ?? '.';
  if (folder === '.') return { build: ['go', 'build', '-o', binary, `./${main}`.replace(/\/\.$/, '')] };
  const place = `./${posix.relative(folder, main)}`;
  return { build: ['go', '-C', folder, 'build', '-o', posix.relative(folder, binary), place], module: folder };
}

/**
 * Returns main packages that create a manager, directly or in packages that they call, or all of them if none does; the
 * likeliest first.
 */
function mainPackages(
  repository: Repository,
  module: string,
  packages: GoPackages,
  wanted: string | undefined,
): readonly Main[] {
  const files = repository.files.filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'));
  const folders = new Set(
    files
      .filter((file) => /^package main$/m.test(repository.text(file)) && /^func main\(\)/m.test(repository.text(file)))
      .map((file) => posix.dirname(file)),
  );
  const direct = [...folders].filter((folder) => MANAGER.test(packages.at(folder).text));
  const calling = [...folders].filter((folder) => packages.closure(folder).some(({ text }) => MANAGER.test(text)));
  const mains = [direct, calling, [...folders]].find((some) => some.length > 0) ?? [];
  return rankMains(repository, mains, module, {
    size: (folder) => packages.closure(folder).length,
    makesManager: (folder) => RUNTIME_MANAGER.test(packages.at(folder).text),
    ...given({ wanted }),
  });
}

/** Matches a flag for leader election, with its default. */
const ELECTION_FLAG = /\.Bool\w*\((?:\s*&[\w.]+,)?\s*"((?:enable-)?leader-elect(?:ion)?)",\s*(?:"\w?",\s*)?([^,\s)]+)/g;

/**
 * Returns the flag that switches leader election off if it is on by default: after a crash, the next copy would wait for the lock of the
 * last one.
 */
function leaderElectionOff(closure: readonly { readonly text: string }[]): readonly string[] {
  const found = closure.flatMap(({ text }) => [...text.matchAll(ELECTION_FLAG)]);
  return [...new Set(found.flatMap(([, name = '', value]) => (value === 'false' ? [] : [`--${name}=false`])))];
}

/**
 * Finds a definition like `fs.StringVar(&path, "kubeconfig", …)`, `flag.String("kubeconfig", …)` or `flags.BoolVarP(&on,
 * "leader-elect", …)`.
 */
function definesFlag(text: string, name: string): boolean {
  return new RegExp(`\\.(?:String|Bool|Int|Duration)\\w*\\((?:\\s*&[\\w.]+,)?\\s*"${name}"`).test(text);
}

/**
 * Matches a flag whose default is an absolute path: `fs.StringVar(&dir, "cert-dir", "/certs", …)`, `flags.StringVarP(&file,
 * "config", "c", "/etc/op/config.yaml", …)`.
 */
const PATH_FLAG = /\.String\w*\((?:\s*&[\w.]+,)?\s*"([\w-]+)",\s*(?:"\w?",\s*)?"(\/[^"\s]+)"/g;

function pathFlagsIn(closure: readonly { readonly text: string }[]): { readonly [flag: string]: string } {
  const found = closure.flatMap(({ text }) => [...text.matchAll(PATH_FLAG)]);
  return Object.fromEntries(found.map(([, flag = '', path = '']) => [flag, path] as const));
}

/**
 * Returns the subcommand of a program with subcommands (cobra): the words that a workload of the project starts it with, even in a Helm
 * template, or else the subcommand whose package creates the manager. Without it, such a program would print its help and exit.
 */
function subcommandOf(closure: readonly { readonly text: string }[], repository: Repository): readonly string[] {
  const [main] = closure;
  if (main === undefined || MANAGER.test(main.text) || !closure.some(({ text }) => text.includes('.AddCommand(')))
    return [];
  const usesIn = (packages: typeof closure): ReadonlySet<string> =>
    new Set(packages.flatMap(({ text }) => [...text.matchAll(/\bUse:\s*"([\w-]+)/g)].map(([, use = '']) => use)));
  const known = usesIn(closure);
  const deployed = leadingArguments(repository).find(([first = '']) => known.has(first));
  if (deployed !== undefined) {
    const end = deployed.findIndex((word) => !known.has(word));
    return end < 0 ? deployed : deployed.slice(0, end);
  }
  const [only, ...others] = usesIn(closure.slice(1).filter(({ text }) => MANAGER.test(text)));
  return only === undefined || others.length > 0 ? [] : [only];
}

/** Returns the arguments of each container in Deployments and StatefulSets, up to the first flag. */
function leadingArguments({ files, text }: Repository): readonly (readonly string[])[] {
  return files
    .filter((file) => /\.ya?ml$/.test(file) && /^kind:\s*["']?(?:Deployment|StatefulSet)\b/m.test(text(file)))
    .flatMap((file) => [...text(file).matchAll(ARGUMENTS)].map(([, words = '']) => words.match(WORD) ?? []));
}

/** Matches the words after `args:`, in a list of lines or in brackets. */
const ARGUMENTS = /^\s*(?:- )?args:\s*\[?((?:\s*[-,]?\s*["']?[a-z][\w-]*["']?(?=\s*(?:[,\]]|$)))+)/gm;
const WORD = /[a-z][\w-]*/g;

const OTHERS_NAMED = 4;

function takenText({ folder, why }: Main, others: readonly Main[]): string {
  const because = why.length === 0 ? '' : ` (${why.slice(0, 2).join(', ')})`;
  const named = others.slice(0, OTHERS_NAMED).map((other) => other.folder);
  const more = others.length > OTHERS_NAMED ? ` and ${others.length - OTHERS_NAMED} more` : '';
  return `${folder} is taken for the manager${because}; there are also ${named.join(', ')}${more}`;
}

function moduleName(module: string): string {
  return (modulePath(module) || 'manager').replace(/\/v\d+$/, '');
}

/** Returns the usual place of manifests in kubebuilder projects; undefined if nothing is there. */
export function goManifests(repository: Repository): string | undefined {
  return has(repository, 'config/default/kustomization.yaml') ? 'config/default' : undefined;
}
