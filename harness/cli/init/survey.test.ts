import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repositoryOf } from './repository.ts';
import { survey } from './survey.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../../../controllers-under-test/${path}`, import.meta.url), 'utf8');
const CRD = read('releases/crd.yaml');
const SAMPLE = read('releases/sample.yaml');

const look = (texts: { readonly [path: string]: string }) => survey(repositoryOf(texts), () => 'python3');

describe('programs', () => {
  it('knows the layout of kubebuilder, with the flags that its manager has', () => {
    const { program, manifests, ci } = look({
      'go.mod': 'module example.com/widgets/v2\nrequire sigs.k8s.io/controller-runtime v0.24.1\n',
      Makefile: 'build: manifests\n\tgo build -o bin/manager cmd/main.go\nmanifests:\n',
      'cmd/main.go':
        'package main\nfunc main() {\nflag.StringVar(&p, "health-probe-bind-address", "", "")\nflag.Bool("leader-elect")\nctrl.NewManager(c)\nos.Getenv("ENABLE_WEBHOOKS")\n}\n',
      'hack/tool/main.go': 'package main\nfunc main() {}\n',
      'config/default/kustomization.yaml': 'resources: []\n',
      '.github/workflows/test.yml': '',
    });

    expect(program).toMatchObject({
      command: ['bin/manager', '--health-probe-bind-address=127.0.0.1:{port:probes}'],
      build: ['go', 'build', '-o', 'bin/manager', './cmd'],
      withoutWebhooks: { ENABLE_WEBHOOKS: 'false' },
      elects: true,
      notes: [],
    });
    expect([manifests, ci]).toEqual(['config/default', 'github']);
  });

  it('names a binary after the module, and passes a kubeconfig to who asks for one by flag', () => {
    const { program } = look({
      'go.mod': 'module example.com/widgets\nrequire k8s.io/client-go v0.36.3\n',
      'main.go':
        'package main\nfunc main() {\nflag.StringVar(&k, "kubeconfig", "", "")\ninformers.NewSharedInformerFactory(c, 0)\n}\n',
    });

    expect(program).toMatchObject({
      command: ['bin/widgets', '--kubeconfig={kubeconfig}'],
      build: ['go', 'build', '-o', 'bin/widgets', '.'],
      ignored: ['/bin/widgets'],
    });
  });

  it.each([
    [
      'handlers in a file',
      { 'handlers.py': 'import kopf\n@kopf.on.create("a")\ndef f(): pass\n', 'uv.lock': '' },
      ['handlers.py'],
      'uv sync',
    ],
    [
      'handlers in a package',
      {
        'src/op/__init__.py': '',
        'src/op/main.py': 'import kopf\n@kopf.timer("a")\ndef f(): pass\n',
        'requirements.txt': 'kopf',
      },
      ['-m', 'op.main'],
      'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt',
    ],
    [
      'the modules that the image starts, and no script for development',
      {
        'dev/run.py': 'import kopf\nkopf.run()\n',
        'src/op/__init__.py': '',
        'src/op/a/on.py': 'import kopf\n@kopf.on.create("a")\ndef f(): pass\n',
        Dockerfile: 'FROM python\nCMD ["uv", "run", "kopf", "run", "-m", "op"]\n',
        'pyproject.toml': '',
      },
      ['-m', 'op'],
      'python3 -m venv .venv && .venv/bin/pip install -e .',
    ],
    [
      'handlers in a folder of a package without a file of its own',
      { 'op/__init__.py': '', 'op/a/b/on.py': 'import kopf\n@kopf.on.create("a")\ndef f(): pass\n', 'setup.py': '' },
      ['-m', 'op.a.b.on'],
      'python3 -m venv .venv && .venv/bin/pip install -e .',
    ],
    [
      'handlers that use a client, where nothing declares what they need',
      {
        'on.py': 'import kopf\nfrom kubernetes import client\n@kopf.on.create("a")\ndef f(): pass\n',
        'more.py': 'import kr8s\n',
      },
      ['on.py'],
      'python3 -m venv .venv && .venv/bin/pip install kopf kr8s kubernetes',
    ],
  ])('runs kopf with %s', (_, texts: { readonly [path: string]: string }, named, get) => {
    const { program } = look(texts);

    expect(program?.command).toEqual([
      'python3',
      '-m',
      'kopf',
      'run',
      '--standalone',
      '--namespace={namespace}',
      ...named,
    ]);
    expect(program?.needs?.get).toBe(get);
  });

  it('starts a program that runs kopf itself as it is', () => {
    const { program } = look({ 'main.py': 'import kopf\n@kopf.on.create("a")\ndef f(): pass\nkopf.run()\n' });

    expect(program?.command).toEqual(['python3', 'main.py']);
  });

  it.each([
    ['a file', { 'main.py': 'from kubernetes import client\nif __name__ == "__main__":\n  run()\n' }, ['main.py']],
    [
      'a package',
      { 'op/__init__.py': '', 'op/__main__.py': 'import op.run\n', 'op/run.py': 'from kubernetes import watch\n' },
      ['-m', 'op'],
    ],
    ['nothing that is run', { 'op.py': 'import kubernetes\n' }, []],
  ])('starts Python that watches by itself from %s', (_, texts: { readonly [path: string]: string }, started) => {
    const { program } = look(texts);

    expect(program?.language).toBe('Python, the client "kubernetes"');
    expect(program?.command).toEqual(started.length === 0 ? [] : ['python3', ...started]);
    expect(program?.needs?.get).toBe('python3 -m venv .venv && .venv/bin/pip install kubernetes');
  });

  it('takes the operator in Python beside a client library in Go', () => {
    const { program } = look({
      'go.mod': 'module example.com/op\nrequire k8s.io/client-go v0.36.3\n',
      'go_client/client.go': 'package client\n',
      'op.py': 'import kopf\n@kopf.on.create("a")\ndef f(): pass\n',
    });

    expect(program?.command.at(-1)).toBe('op.py');
  });

  it('says what makes the runs of a kopf operator long', () => {
    const polls = 'import kopf\n@kopf.timer("a", interval=5)\ndef f(): pass\n';
    const quick = 'import kopf\n@kopf.timer("a", interval=0.5, backoff=B)\ndef f(): pass\n';

    const notes = look({ 'op.py': polls }).program?.notes ?? [];
    expect(notes).toEqual([
      expect.stringContaining('op.py polls every 5 s'),
      expect.stringContaining('settings.execution.default_backoff'),
    ]);
    for (const note of notes) expect(note).toContain('where time is real ("stalemate doctor")');
    expect(look({ 'op.py': quick }).program?.notes).toEqual([]);
  });

  it.each([
    [{ start: 'node dist/main.js', build: 'tsc' }, {}, ['node', 'dist/main.js'], ['npm', 'run', 'build']],
    [{ start: 'tsx src/op.ts' }, {}, ['node_modules/.bin/tsx', 'src/op.ts'], undefined],
    [{ start: 'a && b' }, { 'src/index.ts': '' }, ['node', 'src/index.ts'], undefined],
  ])('starts a package as %j says', (scripts, texts, command, build) => {
    const dependencies = { '@kubernetes/client-node': '2.0.1' };
    const { program } = look({ 'package.json': JSON.stringify({ scripts, dependencies }), ...texts });

    expect([program?.command, program?.build]).toEqual([command, build]);
  });

  it('takes a target module where there is one', () => {
    const { program } = look({
      'package.json': JSON.stringify({ dependencies: { '@kubernetes/client-node': '2' } }),
      'stalemate.target.ts': '',
    });

    expect([program?.target, program?.command]).toEqual(['stalemate.target.ts', []]);
  });

  it('knows kube-rs, and that the generator of its CRDs is not the controller', () => {
    const { program } = look({
      'Cargo.toml':
        '[package]\nname = "op"\n[[bin]]\nname = "crdgen"\n[[bin]]\nname = "controller"\n[dependencies]\nkube = "1"\n',
    });

    expect(program?.command).toEqual(['target/debug/controller']);
    expect(program?.build).toEqual(['cargo', 'build', '--bin', 'controller']);
  });

  it('knows a package of a workspace that uses kube-rs through another crate, by the lock file', () => {
    const lock = (name: string, ...used: string[]): string =>
      `[[package]]\nname = "${name}"\nversion = "1.0.0"\ndependencies = [\n${used.map((one) => ` "${one}",\n`).join('')}]\n`;
    const { program } = look({
      'Cargo.toml': '[workspace]\nmembers = ["crates/*"]\n[workspace.dependencies]\nframework = "1"\n',
      'Cargo.lock': [lock('cli'), lock('framework', 'kube 3.0.0'), lock('zoo-operator', 'framework')].join('\n'),
      'crates/cli/Cargo.toml': '[package]\nname = "cli"\n',
      'crates/cli/src/main.rs': '',
      'crates/operator/Cargo.toml': '[package]\nname = "zoo-operator"\n[dependencies]\nframework.workspace = true\n',
      'crates/operator/src/main.rs': '',
    });

    expect(program?.command).toEqual(['target/debug/zoo-operator']);
    expect(program?.build).toEqual(['cargo', 'build', '--package', 'zoo-operator', '--bin', 'zoo-operator']);
  });

  it('takes the main file for the controller if only another binary is declared', () => {
    const { program } = look({
      'Cargo.toml':
        '[package]\nname = "op"\n[[bin]]\nname = "crdgen"\npath = "src/crdgen.rs"\n[dependencies]\nkube = "1"\n',
      'src/main.rs': '',
      'src/crdgen.rs': '',
    });

    expect(program?.command).toEqual(['target/debug/op']);
  });

  it('takes the binary of a project with several that is named like a controller', () => {
    const { program } = look({
      'Cargo.toml': '[package]\nname = "op"\n[dependencies]\nkube = "1"\n',
      'src/bin/agent.rs': '',
      'src/bin/controller/main.rs': '',
      'src/bin/crdgen.rs': '',
    });

    expect(program?.command).toEqual(['target/debug/controller']);
    expect(program?.notes).toEqual(['controller is taken for the controller; there are also agent']);
  });

  it('knows the Java Operator SDK, plain and with Quarkus', () => {
    const pom = (dependency: string): string =>
      `<project><parent><artifactId>p</artifactId></parent><artifactId>op</artifactId><version>1.2</version><dependencies>${dependency}</dependencies></project>`;

    expect(look({ 'pom.xml': pom('io.javaoperatorsdk'), mvnw: '' }).program).toMatchObject({
      command: ['java', '-jar', 'target/op-1.2.jar'],
      build: ['./mvnw', '-q', 'package', '-DskipTests'],
      builtDefinitions: 'target/classes/META-INF/fabric8',
    });
    expect(look({ 'pom.xml': pom('quarkus-operator-sdk') }).program?.command.at(-1)).toBe(
      'target/quarkus-app/quarkus-run.jar',
    );
  });

  it('takes the name of a jar from what a POM says elsewhere', () => {
    const jarOf = (pom: string): string | undefined =>
      look({
        'pom.xml': `<project>${pom}<dependencies>io.javaoperatorsdk</dependencies></project>`,
      }).program?.command.at(-1);

    const revision = '<artifactId>my-op</artifactId><version>${revision}</version>';
    const properties = '<properties><changelist>-rc1</changelist><revision>1.2${changelist}</revision></properties>';
    expect(jarOf(revision + properties)).toBe('target/my-op-1.2-rc1.jar');
    expect(jarOf('<parent><artifactId>p</artifactId><version>3</version></parent><artifactId>op</artifactId>')).toBe(
      'target/op-3.jar',
    );
    expect(jarOf(`${revision}<build><finalName>\${project.artifactId}-all</finalName></build>`)).toBe(
      'target/my-op-all.jar',
    );
  });

  it('says where the name of a jar could not be told', () => {
    const { program } = look({
      'pom.xml': '<project><artifactId>op</artifactId><version>${revision}</version>io.javaoperatorsdk</project>',
    });

    expect(program?.command).toEqual(['java', '-jar', 'target/operator.jar']);
    expect(program?.notes[0]).toContain('the name of the jar could not be found out');
  });

  it.each([
    [{ 'build.gradle': 'version = "1.2.3"', 'settings.gradle': "rootProject.name = 'my-op'" }, 'my-op-1.2.3.jar'],
    [{ 'build.gradle': "version '1.2.3'", 'settings.gradle.kts': 'rootProject.name = "my-op"' }, 'my-op-1.2.3.jar'],
    [{ 'gradle.properties': 'version=1.2.3', 'settings.gradle': "rootProject.name='my-op'" }, 'my-op-1.2.3.jar'],
    [{ 'settings.gradle': "rootProject.name = 'my-op'" }, 'my-op.jar'],
  ])('finds the jar and the CRDs where Gradle puts them (%#)', (texts, jar) => {
    const gradle = { 'build.gradle.kts': 'implementation("io.javaoperatorsdk:operator-framework:5.1.0")\n' };

    expect(look({ ...gradle, ...texts }).program).toMatchObject({
      command: ['java', '-jar', `build/libs/${jar}`],
      build: ['gradle', 'build', '-x', 'test'],
      builtDefinitions: 'build/classes/java/main/META-INF/fabric8',
    });
  });

  it('finds nothing in a project without a controller', () => {
    expect(look({ 'go.mod': 'module a\n', 'package.json': '{' }).program).toBeUndefined();
  });
});

describe('definitions and samples', () => {
  it('prefers where generators put CRDs to copies, and a folder to its files', () => {
    const { definitions } = look({
      'charts/x/crds/a.yaml': CRD,
      'config/crd/bases/a.yaml': CRD,
      'test/crds/other.yaml': CRD.replaceAll('releases', 'others'),
    });

    expect(definitions.paths).toEqual(['config/crd/bases', 'test/crds']);
    expect(definitions.crds).toHaveLength(2);
  });

  it('takes the CRDs of a chart, and says of templates how to render them', () => {
    const { definitions } = look({
      'charts/x/crds/a.yaml': CRD,
      'charts/x/templates/b.yaml': `{{- if .Values.crds }}\n${CRD.replaceAll('releases', 'others')}{{- end }}\n`,
    });

    expect(definitions.paths).toEqual(['charts/x/crds']);
    expect(definitions.notes).toEqual([expect.stringContaining('charts/x/templates/b.yaml is a template of Helm')]);
  });

  it('takes a sample that the API server accepts', () => {
    const { samples } = look({
      'crd.yaml': CRD,
      'examples/bad.yaml': SAMPLE.replace(/^spec:[\s\S]*/m, 'spec: {}\n'),
      'examples/good.yaml': SAMPLE,
    });

    expect(samples).toMatchObject({ files: ['examples/good.yaml'], drawn: '' });
  });

  it('draws one where the sample is a scaffold, and says so', () => {
    const { samples } = look({ 'crd.yaml': CRD, 'config/samples/a.yaml': SAMPLE.replace(/^spec:[\s\S]*/m, 'spec:\n') });

    expect(samples.files).toEqual([]);
    expect(samples.drawnKinds).toEqual(['Release']);
    expect(samples.notes).toEqual(['config/samples/a.yaml: its spec is empty; one is drawn from the schema instead']);
  });
});
