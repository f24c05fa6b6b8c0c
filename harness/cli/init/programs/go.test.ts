import { expect, it } from 'vitest';
import { repositoryOf } from '../repository.ts';
import { goProgram } from './go.ts';

const GO_MOD = 'module example.com/op/v2\nrequire sigs.k8s.io/controller-runtime v0.20.0\n';
const MAIN = (calls: string): string => `package main\nimport "example.com/op/v2/${calls}"\nfunc main() {\n}\n`;
const RUN = 'package run\nfunc Run() {\n\tmgr, err := ctrl.NewManager(config, options)\n}\n';

it('takes the program that makes a manager in a package that it calls', () => {
  const program = goProgram(
    repositoryOf({
      'go.mod': GO_MOD,
      Dockerfile: 'RUN go build -o backup ./cmd/backup\nRUN go build -o runner ./cmd/runner\n',
      'cmd/backup/main.go': MAIN('pkg/store'),
      'cmd/runner/main.go': MAIN('pkg/run'),
      'pkg/run/run.go': RUN,
      'pkg/store/store.go': 'package store\n',
    }),
  );

  expect(program?.build?.at(-1)).toBe('./cmd/runner');
});

it('starts a program with commands of its own by the one that makes the manager', () => {
  const program = goProgram(
    repositoryOf({
      'go.mod': GO_MOD,
      'cmd/main.go': `${MAIN('cmd/run')}func init() {\n\troot.AddCommand(run.Command())\n}\n`,
      'cmd/run/run.go': `${RUN}var command = &cobra.Command{\n\tUse:   "run [flags]",\n}\n`,
    }),
  );

  expect(program?.command).toEqual(['bin/op', 'run']);
});

it('knows flags that a called package defines, and not the same words elsewhere', () => {
  const program = goProgram(
    repositoryOf({
      'go.mod': GO_MOD,
      'cmd/op/main.go': MAIN('pkg/run'),
      'pkg/run/run.go': `${RUN}func flags() {\n\tfs.StringVar(&probes, "health-probe-bind-address", ":8081", "")\n\tkey := secret.Data["kubeconfig"]\n}\n`,
    }),
  );

  expect(program?.command).toEqual(['bin/op', '--health-probe-bind-address=127.0.0.1:{port:probes}']);
});

it('starts a program with several commands by the one that its chart starts', () => {
  const program = goProgram(
    repositoryOf({
      'go.mod': GO_MOD,
      'cmd/op/main.go': MAIN('pkg/cmd'),
      'pkg/cmd/cmd.go':
        'package cmd\nimport "example.com/op/v2/pkg/run"\nfunc Root() {\n\troot.AddCommand(server, certs)\n}\nvar certs = &cobra.Command{Use: "certs"}\nvar server = &cobra.Command{Use: "server"}\n',
      'pkg/run/run.go': RUN,
      'charts/op/templates/job.yaml': 'kind: Job\nspec:\n  containers:\n  - args:\n    - certs\n',
      'charts/op/templates/op.yaml':
        'kind: Deployment\nspec:\n  containers:\n  - args:\n    - server\n    - --config={{ .Values.config }}\n',
    }),
  );

  expect(program?.command).toEqual(['bin/op', 'server']);
});

it.each([
  [
    'a list',
    'args:\n    - controller\n    - start\n    {{- with .Values.log }}\n    - --log={{ . }}\n    {{- end }}\n',
  ],
  ['brackets', 'args: ["controller", start, --log=info]\n'],
  ['words that are no commands', 'args:\n    - controller\n    - start\n    - example\n'],
])('starts a command of a command as its chart does, from %s', (_, args) => {
  const program = goProgram(
    repositoryOf({
      'go.mod': GO_MOD,
      'cmd/op/main.go': MAIN('pkg/run'),
      'pkg/run/run.go': `${RUN}var a = &cobra.Command{Use: "controller"}\nvar b = &cobra.Command{Use: "start"}\nfunc f() {\n\ta.AddCommand(b)\n}\n`,
      'charts/op/templates/op.yaml': `kind: Deployment\nspec:\n  containers:\n  - name: op\n    ${args}`,
    }),
  );

  expect(program?.command).toEqual(['bin/op', 'controller', 'start']);
});

it('knows the paths that flags lead to by default', () => {
  const program = goProgram(
    repositoryOf({
      'go.mod': GO_MOD,
      'cmd/op/main.go': MAIN('pkg/run'),
      'pkg/run/run.go': `${RUN}func flags() {\n\tfs.StringVar(&o.certs, "cert-dir", "/certs", "")\n\tfs.StringVarP(&o.file, "config", "c", "/etc/op/c.yaml", "")\n\tflag.String("level", "info", "")\n}\n`,
    }),
  );

  expect(program?.pathFlags).toEqual({ 'cert-dir': '/certs', config: '/etc/op/c.yaml' });
});

it.each([
  ['fs.BoolVar(&on, "leader-elect", DefaultLeaderElect, "")', ['--leader-elect=false']],
  ['flags.BoolVarP(&on, "enable-leader-election", "l", true, "")', ['--enable-leader-election=false']],
  ['flag.BoolVar(&on, "leader-elect", false, "")', []],
  ['on := secret.Data["leader-elect"]', []],
])('switches leader election off where it is on by default: %s', (line, flags) => {
  const program = goProgram(
    repositoryOf({
      'go.mod': GO_MOD,
      'cmd/op/main.go': MAIN('pkg/run'),
      'pkg/run/run.go': `${RUN}func flags() {\n\t${line}\n}\n`,
    }),
  );

  expect(program?.command).toEqual(['bin/op', ...flags]);
});

it('builds a program of a nested module in its folder, and follows imports between modules', () => {
  const program = goProgram(
    repositoryOf({
      'go.mod': GO_MOD,
      'pkg/flags/flags.go': 'package flags\nfunc add() {\n\tfs.StringVar(&k, "kubeconfig", "", "")\n}\n',
      'cmd/ctl/go.mod': 'module example.com/op/ctl-binary\n',
      'cmd/ctl/main.go': 'package main\nimport "example.com/op/ctl-binary/app"\nfunc main() {\n}\n',
      'cmd/ctl/app/app.go': `package app\nimport "example.com/op/v2/pkg/flags"\n${RUN.replace('package run\n', '')}`,
    }),
  );

  expect(program).toMatchObject({
    command: ['bin/ctl', '--kubeconfig={kubeconfig}'],
    build: ['go', '-C', 'cmd/ctl', 'build', '-o', '../../bin/ctl', './'],
    module: 'cmd/ctl',
  });
});
