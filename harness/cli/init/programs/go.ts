/** Go: kubebuilder and operator-sdk layouts, and whatever else has a main package that makes a manager or an informer. */
import { posix } from 'node:path';
import { has, type Repository } from '../repository.ts';
import { rankMains, type Main } from './go-mains.ts';
import type { Program } from './program.ts';

const MANAGER = /\b(?:ctrl|manager)\.(?:NewManager|New)\(|NewSharedInformerFactory|\bmgr\.Start\(/;
export function goProgram(repository: Repository): Program | undefined {
  const module = repository.text('go.mod');
  if (!/sigs\.k8s\.io\/controller-runtime|k8s\.io\/client-go/.test(module)) return undefined;
  const runtime = module.includes('controller-runtime') ? 'controller-runtime' : 'client-go';
  const common = { language: `Go, ${runtime}`, setUp: 'go', generate: generateOf(repository) } as const;
  const mains = mainPackages(repository, moduleName(module));
  const [main] = mains;
  if (main === undefined)
    return { ...common, command: [], elects: false, notes: ['no package main in the repository makes a manager'] };
  const chosen = main.folder;
  const source = packageText(repository, chosen);
  const flag = (name: string): boolean => source.includes(`"${name}"`);
  const makefile = repository.text('Makefile');
  const own = chosen === '.' || chosen === 'cmd' ? posix.basename(moduleName(module)) : posix.basename(chosen);
  const binary = /\bbin\/(manager|operator)\b/.exec(makefile)?.[0] ?? `bin/${own}`;
  const metrics = flag('metrics-bind-address');
  return {
    ...common,
    command: [
      binary,
      // controller-runtime reads KUBECONFIG; a flag of the program's own may be all that it looks at.
      ...(flag('kubeconfig') ? ['--kubeconfig={kubeconfig}'] : []),
      ...(metrics ? ['--metrics-bind-address=127.0.0.1:{port:metrics}'] : []),
      ...(flag('metrics-secure') ? ['--metrics-secure=false'] : []),
      ...(flag('health-probe-bind-address') ? ['--health-probe-bind-address=127.0.0.1:{port:probes}'] : []),
    ],
    ...(source.includes('ENABLE_WEBHOOKS') ? { withoutWebhooks: { ENABLE_WEBHOOKS: 'false' } } : {}),
    ...(metrics ? { metrics: 'http://127.0.0.1:{port:metrics}/metrics' } : {}),
    names: [...new Set([posix.basename(binary), own, posix.basename(moduleName(module))])],
    elects: flag('leader-elect') || flag('enable-leader-election'),
    build: ['go', 'build', '-o', binary, `./${chosen}`.replace(/\/\.$/, '')],
    ignored: repository.text('.gitignore').match(/^\/?bin\b/m) === null ? [`/${binary}`] : [],
    notes: [
      ...(mains.length > 1 ? [takenText(main, mains.slice(1))] : []),
      ...(/SetupWebhook/.test(source) && !source.includes('ENABLE_WEBHOOKS')
        ? ['it serves webhooks: with "manifests" they are asked, and have certificates']
        : []),
    ],
  };
}

function generateOf(repository: Repository): string {
  return /^manifests:/m.test(repository.text('Makefile'))
    ? 'make manifests'
    : 'controller-gen crd paths=./... output:crd:dir=config/crd/bases';
}

/** Main packages that make a manager, or all of them where none does so itself, the likeliest first. */
function mainPackages(repository: Repository, module: string): readonly Main[] {
  const files = repository.files.filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'));
  const folders = new Set(
    files
      .filter((file) => /^package main$/m.test(repository.text(file)) && /^func main\(\)/m.test(repository.text(file)))
      .map((file) => posix.dirname(file)),
  );
  const mains = [...folders].filter((folder) => MANAGER.test(packageText(repository, folder)));
  return rankMains(repository, mains.length > 0 ? mains : [...folders], module);
}

const OTHERS_NAMED = 4;

function takenText({ folder, why }: Main, others: readonly Main[]): string {
  const because = why.length === 0 ? '' : ` (${why.slice(0, 2).join(', ')})`;
  const named = others.slice(0, OTHERS_NAMED).map((other) => other.folder);
  const more = others.length > OTHERS_NAMED ? ` and ${others.length - OTHERS_NAMED} more` : '';
  return `${folder} is taken for the manager${because}; there are also ${named.join(', ')}${more}`;
}

function packageText(repository: Repository, folder: string): string {
  return repository.files
    .filter((file) => posix.dirname(file) === folder && file.endsWith('.go') && !file.endsWith('_test.go'))
    .map((file) => repository.text(file))
    .join('\n');
}

function moduleName(module: string): string {
  return (/^module\s+(\S+)/m.exec(module)?.[1] ?? 'manager').replace(/\/v\d+$/, '');
}

/** Where kubebuilder keeps what it ships. */
export function goManifests(repository: Repository): string | undefined {
  return has(repository, 'config/default/kustomization.yaml') ? 'config/default' : undefined;
}
