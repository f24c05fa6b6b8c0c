import { expect, it } from 'vitest';
import { repositoryOf } from '../repository.ts';
import { rankMains } from './go-mains.ts';

const ranked = (texts: { readonly [path: string]: string }, folders: readonly string[]): readonly string[] =>
  rankMains(repositoryOf(texts), folders, 'example.com/op').map(({ folder }) => folder);

it.each([['cmd/main.go'], ['./cmd'], ['example.com/op/cmd']])(
  'knows the package that the Dockerfile at the top builds from %s',
  (source) => {
    const texts = { Dockerfile: `RUN CGO_ENABLED=0 \\\n  go build -a -o manager ${source}\nENTRYPOINT ["/manager"]\n` };

    expect(ranked(texts, ['.', 'cmd'])).toEqual(['cmd', '.']);
  },
);

it('knows what the Makefile builds, also where a variable stands for go', () => {
  const texts = {
    Makefile: 'build:\n\t$(GO_ENV) $(GO_CMD) build -ldflags="$(FLAGS)" -o bin/manager cmd/op/main.go\n',
    'cmd/viewer/Dockerfile': 'RUN go build -o viewer ./cmd/viewer\n',
  };

  expect(ranked(texts, ['cmd/viewer', 'cmd/op'])).toEqual(['cmd/op', 'cmd/viewer']);
});

it('takes what a Deployment runs before what runs on each node, and names the reason', () => {
  const workload = (kind: string, name: string): string =>
    `apiVersion: apps/v1\nkind: ${kind}\nspec:\n  template:\n    spec:\n      containers:\n      - image: quay.io/op/${name}:main\n`;
  const texts = {
    'config/controller.yaml': workload('Deployment', 'controller'),
    'config/speaker.yaml': workload('DaemonSet', 'speaker'),
  };

  const mains = rankMains(repositoryOf(texts), ['convert', 'controller', 'speaker'], 'example.com/op');

  expect(mains.map(({ folder }) => folder)).toEqual(['controller', 'speaker', 'convert']);
  expect(mains[0]?.why).toEqual(['config/controller.yaml deploys it']);
});

it('follows the command of a Deployment to the package that it was built from', () => {
  const texts = {
    'cmd/op/Dockerfile': 'RUN go build -o /bin/manager cmd/op/main.go\n',
    'cmd/tool/Dockerfile': 'RUN go build -o /bin/tool cmd/tool/main.go\n',
    'config/manager.yaml':
      'kind: Deployment\nspec:\n  containers:\n  - command:\n    - /manager\n    image: controller:latest\n',
  };

  expect(ranked(texts, ['cmd/tool', 'cmd/op'])[0]).toBe('cmd/op');
});

it('does not count what tests and examples deploy', () => {
  const texts = { 'test/e2e/app.yaml': 'kind: Deployment\nspec:\n  containers:\n  - image: example.com/tool:v1\n' };

  expect(rankMains(repositoryOf(texts), ['tool'], 'example.com/op')[0]?.weight).toBe(0);
});

it('knows a program by the name of its container, where the image is called as the project is', () => {
  const texts = {
    'config/manager.yaml':
      'kind: Deployment\nspec:\n  containers:\n  - name: op-controller\n    image: example.com/op:latest\n',
  };

  expect(ranked(texts, ['cmd/op-backup', 'cmd/op-controller'])[0]).toBe('cmd/op-controller');
});

it('takes the larger of two programs that are deployed alike', () => {
  const texts = {
    'config/a.yaml': 'kind: Deployment\nspec:\n  containers:\n  - name: collector\n',
    'config/b.yaml': 'kind: Deployment\nspec:\n  containers:\n  - name: leader\n',
  };
  const size = (folder: string): number => (folder === 'cmd/leader' ? 9 : 2);
  const mains = rankMains(repositoryOf(texts), ['cmd/collector', 'cmd/leader'], 'example.com/op', { size });

  expect(mains[0]?.folder).toBe('cmd/leader');
});

it('takes the program that creates a manager, or that PROJECT describes, before one that only reads', () => {
  const workload = (name: string): string => `kind: Deployment\nspec:\n  containers:\n  - name: ${name}\n`;
  const texts = {
    Makefile: 'build:\n\tgo build -o bin/proxy ./proxy\n\tgo build -o bin/operator ./operator\n',
    'config/proxy.yaml': workload('proxy'),
    'config/proxy/e2e-test/patch.yaml': workload('proxy'),
    'config/operator.yaml': workload('operator'),
    'operator/PROJECT': 'version: "3"\n',
  };

  const [first, second] = rankMains(repositoryOf(texts), ['proxy', 'operator'], 'example.com/op', {
    makesManager: (folder) => folder === 'operator',
  });

  expect(first).toMatchObject({ folder: 'operator', binary: 'operator' });
  expect(first?.why).toContain('it creates a manager');
  expect(second).toMatchObject({ folder: 'proxy', binary: 'proxy', weight: 7 });
});

it('takes the program that is wanted', () => {
  const texts = { Makefile: 'build:\n\tgo build -o bin/manager ./cmd\n\tgo build -o bin/webhook ./cmd/hooks\n' };
  const wanted = (name: string): string | undefined =>
    rankMains(repositoryOf(texts), ['cmd', 'cmd/hooks'], 'example.com/op', { wanted: name })[0]?.folder;

  expect([wanted('webhook'), wanted('hooks'), wanted('other')]).toEqual(['cmd/hooks', 'cmd/hooks', 'cmd']);
});
