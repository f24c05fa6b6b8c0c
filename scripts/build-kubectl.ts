/**
 * Builds kubectl from the Go module k8s.io/kubernetes, once, into the user's cache folder.
 *
 * For tests that drive the embedded API server with the real client, on machines without a kubectl package. Needs `go`. Prints what
 * it does and, last, the path of the binary; a binary that is there already is reused.
 */
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'zx';
import { cachedKubectl, KUBECTL_VERSION } from '../harness/apiserver/http/kubectl-binary.ts';

const STAGING_VERSION = KUBECTL_VERSION.replace('v1.', 'v0.');

async function main(): Promise<void> {
  const binary = cachedKubectl();
  if (existsSync(binary)) {
    console.log(`kubectl ${KUBECTL_VERSION} is in the cache already`);
    console.log(binary);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'build-kubectl-'));
  try {
    await writeModule(folder);
    console.log(`building kubectl ${KUBECTL_VERSION} at low priority; the first time this takes minutes`);
    await $({ cwd: folder, stdio: 'inherit' })`nice -n 10 go mod tidy`;
    const stamp = 'k8s.io/component-base/version';
    const [, minor = ''] = KUBECTL_VERSION.split('.');
    const flags = `-s -w -X ${stamp}.gitVersion=${KUBECTL_VERSION} -X ${stamp}.gitMajor=1 -X ${stamp}.gitMinor=${minor}`;
    const built = join(folder, 'kubectl');
    await $({
      cwd: folder,
      stdio: 'inherit',
    })`nice -n 10 go build -p 1 -trimpath -ldflags ${flags} -o ${built} k8s.io/kubernetes/cmd/kubectl`;
    await mkdir(join(binary, '..'), { recursive: true });
    // Renamed into place last, so that an interrupted build never leaves half a binary in the cache.
    await $`cp ${built} ${`${binary}.new`}`;
    await rename(`${binary}.new`, binary);
    console.log(binary);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A scratch module: `go install` refuses k8s.io/kubernetes because its go.mod replaces the staging modules. */
async function writeModule(folder: string): Promise<void> {
  await writeFile(join(folder, 'go.mod'), 'module build-kubectl\n\ngo 1.26.0\n');
  console.log(`fetching k8s.io/kubernetes@${KUBECTL_VERSION}`);
  const download = await $({ cwd: folder })`go mod download -json k8s.io/kubernetes@${KUBECTL_VERSION}`;
  const { GoMod } = JSON.parse(download.stdout) as { readonly GoMod: string };
  const staging = (await readFile(GoMod, 'utf8')).matchAll(/^\s*(k8s\.io\/[a-z0-9-]+) v0\.0\.0$/gm);
  const names = [...new Set([...staging].map(([, name]) => name ?? ''))];
  const replaced = names.map((name) => `replace ${name} => ${name} ${STAGING_VERSION}`);
  await writeFile(
    join(folder, 'go.mod'),
    [
      'module build-kubectl',
      '',
      'go 1.26.0',
      '',
      `require k8s.io/kubernetes ${KUBECTL_VERSION}`,
      '',
      ...replaced,
      '',
    ].join('\n'),
  );
  await writeFile(
    join(folder, 'tools.go'),
    '//go:build tools\n\npackage tools\n\nimport _ "k8s.io/kubernetes/cmd/kubectl"\n',
  );
}

await main();
