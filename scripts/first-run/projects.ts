/**
 * Projects with common layouts, made from the controllers under test: what `init` has to detect.
 *
 * Each is a git repository as its author would have pushed it, without any file of stalemate.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CONTROLLERS = fileURLToPath(new URL('../../controllers-under-test/', import.meta.url));

export interface Shape {
  readonly name: string;
  /** The program that must be installed. */
  readonly needs: string;
  /** The commands that its users run first after cloning. */
  readonly install: readonly (readonly string[])[];
  readonly write: (folder: string) => void;
}

export const SHAPES: readonly Shape[] = [
  { name: 'kubebuilder', needs: 'go', install: [], write: kubebuilder },
  { name: 'helm-chart', needs: 'go', install: [], write: helmChart },
  {
    name: 'kopf',
    needs: 'python3',
    install: [
      ['python3', '-m', 'venv', '.venv'],
      ['.venv/bin/pip', 'install', '--quiet', '-r', 'requirements.txt'],
    ],
    write: kopf,
  },
  {
    name: 'client-node',
    needs: 'npm',
    install: [['npm', 'install', '--silent', '--no-audit', '--no-fund']],
    write: clientNode,
  },
];

type Files = { readonly [path: string]: string };

function put(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const source = (path: string): string => readFileSync(join(CONTROLLERS, path), 'utf8');

/** Writes the reconciler of `go/` into the folder `where`; its metrics address comes from the flag. */
function goSources(folder: string, where: string): void {
  for (const path of ['common', 'correct'])
    cpSync(join(CONTROLLERS, 'go', path), join(folder, where, path), { recursive: true });
  put(folder, {
    'go.mod': source('go/go.mod'),
    'go.sum': source('go/go.sum'),
    [`${where}/correct/steps.go`]: source('go/correct/steps.go').replaceAll(
      'example.com/fleets/',
      `example.com/fleets/${where}/`,
    ),
    [`${where}/common/run.go`]: source('go/common/run.go')
      .replace('BindAddress: "0"', 'BindAddress: flag.Lookup("metrics-bind-address").Value.String()')
      .replace('import (', 'import (\n\t"flag"'),
  });
}

/** The scaffold of `kubebuilder init` and `create api`, as far as it matters for a run. */
function kubebuilder(folder: string): void {
  goSources(folder, 'internal');
  const kustomization = (resources: readonly string[]): string =>
    `resources:\n${resources.map((one) => `- ${one}\n`).join('')}`;
  put(folder, {
    PROJECT: 'domain: example.com\nlayout:\n- go.kubebuilder.io/v4\nprojectName: fleets\nversion: "3"\n',
    '.gitignore': 'bin/*\nDockerfile.cross\n*.test\n*.out\n',
    Makefile: 'build:\n\tgo build -o bin/manager cmd/main.go\n\nmanifests:\n\tcontroller-gen crd paths=./...\n',
    'cmd/main.go': GO_MAIN('internal/'),
    'config/crd/bases/games.example.com_fleets.yaml': source('go/crd.yaml'),
    'config/crd/kustomization.yaml': kustomization(['bases/games.example.com_fleets.yaml']),
    'config/samples/games_v1_fleet.yaml': source('go/sample.yaml'),
    'config/samples/kustomization.yaml': kustomization(['games_v1_fleet.yaml']),
    'config/rbac/role.yaml': RBAC,
    'config/rbac/kustomization.yaml': kustomization(['role.yaml']),
    'config/manager/manager.yaml': MANAGER,
    'config/manager/kustomization.yaml': kustomization(['manager.yaml']),
    'config/default/kustomization.yaml': `namespace: fleets-system\nnamePrefix: fleets-\n${kustomization(['../crd', '../rbac', '../manager'])}`,
    '.github/workflows/test.yml': 'name: Tests\non: [push]\njobs: {}\n',
  });
}

/** An operator whose only manifests are its Helm chart, with CRDs in `crds/`, and without a sample. */
function helmChart(folder: string): void {
  goSources(folder, 'pkg');
  put(folder, {
    '.gitignore': '/fleets\n',
    'main.go': GO_MAIN('pkg/'),
    'charts/fleets/Chart.yaml': 'apiVersion: v2\nname: fleets\nversion: 0.1.0\n',
    'charts/fleets/values.yaml': 'image: registry.example.com/fleets:v1\n',
    'charts/fleets/crds/fleets.yaml': source('go/crd.yaml'),
    'charts/fleets/templates/deployment.yaml': MANAGER.replace('controller:latest', '{{ .Values.image }}'),
    '.gitlab-ci.yml': 'test:\n  script: [go test ./...]\n',
  });
}

function kopf(folder: string): void {
  cpSync(join(CONTROLLERS, 'python', 'common'), join(folder, 'common'), { recursive: true });
  cpSync(join(CONTROLLERS, 'python', 'correct', 'steps.py'), join(folder, 'correct', 'steps.py'));
  put(folder, {
    '.gitignore': '.venv/\n__pycache__/\n',
    'requirements.txt': source('python/requirements.txt'),
    'handlers.py':
      'import kopf\n\nfrom common import operator\nfrom correct.steps import STEPS\n\noperator.register(STEPS)\n\n\n@kopf.on.cleanup()\ndef bye(logger, **_):\n    logger.info("bye")\n',
    'deploy/crd.yaml': source('python/crd.yaml'),
    'examples/topic.yaml': source('python/sample.yaml'),
  });
}

function clientNode(folder: string): void {
  for (const path of ['releases/correct', 'releases/common', 'lib'])
    cpSync(join(CONTROLLERS, path), join(folder, 'src', path), { recursive: true });
  put(folder, {
    '.gitignore': 'node_modules/\n',
    'package.json': `${JSON.stringify(
      {
        name: 'releases-controller',
        private: true,
        type: 'module',
        scripts: { start: 'node src/main.ts' },
        dependencies: { '@kubernetes/client-node': '2.0.1' },
      },
      null,
      2,
    )}\n`,
    'src/main.ts': NODE_MAIN,
    'crds/releases.yaml': source('releases/crd.yaml'),
    'samples/release.yaml': source('releases/sample.yaml'),
  });
}

const NODE_MAIN = `import { KubeConfig } from '@kubernetes/client-node';
import start from './releases/correct/controller.ts';

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const ended = new AbortController();
process.once('SIGTERM', () => process.exit(0));
await start({ kubeConfig, namespace: 'default', signal: ended.signal });
`;

const GO_MAIN = (where: string): string => `package main

import (
	"flag"

	"example.com/fleets/${where}common"
	"example.com/fleets/${where}correct"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	var probes, metrics string
	var leaderElection bool
	flag.StringVar(&metrics, "metrics-bind-address", "0", "The address the metrics endpoint binds to.")
	flag.StringVar(&probes, "health-probe-bind-address", ":8081", "The address the probe endpoint binds to.")
	flag.BoolVar(&leaderElection, "leader-elect", false, "Enable leader election for controller manager.")
	flag.Parse()
	// The scaffold creates its manager here: mgr, err := ctrl.NewManager(…), mgr.Start(…).
	ctrl.Log.Info("starting manager", "metrics", metrics, "probes", probes, "elects", leaderElection)
	common.Main(correct.Steps())
}
`;

const RBAC = `apiVersion: v1
kind: ServiceAccount
metadata: { name: controller-manager, namespace: system }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: manager-role }
rules:
- apiGroups: [games.example.com]
  resources: [fleets, fleets/status, fleets/finalizers]
  verbs: [get, list, watch, create, update, patch, delete]
- apiGroups: ['']
  resources: [pods, configmaps]
  verbs: [get, list, watch, create, update, patch, delete]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: manager-rolebinding }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager-role }
subjects: [{ kind: ServiceAccount, name: controller-manager, namespace: system }]
`;

const MANAGER = `apiVersion: v1
kind: Namespace
metadata: { name: system }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: controller-manager, namespace: system }
spec:
  replicas: 1
  selector: { matchLabels: { control-plane: controller-manager } }
  template:
    metadata: { labels: { control-plane: controller-manager } }
    spec:
      serviceAccountName: controller-manager
      containers:
      - name: manager
        image: controller:latest
        command: [/manager]
        args: [--leader-elect, --health-probe-bind-address=:8081]
`;
