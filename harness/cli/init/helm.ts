/**
 * Helm: the one on PATH, or one that was built for the user from the Go module proxy.
 *
 * Start at {@link findHelm}.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { KUBERNETES_VERSION, userCache } from 'stalemate-apiserver/control-plane/binaries';

/** Of the releases whose sources the module proxy has. */
const VERSION = 'v3.19.0';
/** It is some hundred packages. */
const BUILD_MS = 600_000;
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** What is built, by name. */
export const HELM: string = `helm ${VERSION}`;

function builtPath(): string {
  return join(userCache(), 'tools', `helm-${VERSION}`, 'helm');
}

/** The program to call; undefined where there is none. */
export function findHelm(): string | undefined {
  if (spawnSync('helm', ['version', '--short'], { stdio: 'ignore' }).status === 0) return 'helm';
  return existsSync(builtPath()) ? builtPath() : undefined;
}

/** Whether it can be built here. */
export function canBuildHelm(): boolean {
  return spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;
}

/** Builds it into the user's cache folder; undefined where that failed. */
export function buildHelm(err: (text: string) => void): string | undefined {
  const folder = join(builtPath(), '..');
  mkdirSync(folder, { recursive: true });
  err(`build   go install helm.sh/helm/v3/cmd/helm@${VERSION}\n`);
  const { status } = spawnSync('go', ['install', `helm.sh/helm/v3/cmd/helm@${VERSION}`], {
    env: { ...process.env, GOBIN: folder, GOFLAGS: '' },
    stdio: ['ignore', 2, 2],
    timeout: BUILD_MS,
  });
  return status === 0 && existsSync(builtPath()) ? builtPath() : undefined;
}

/** What a chart renders to without hooks, whose jobs would not be run; undefined where it does not render without the network. */
export function renderChart(helm: string, folder: string, release: string): string | undefined {
  const args = [
    'template',
    release,
    folder,
    '--namespace',
    'default',
    '--include-crds',
    '--no-hooks',
    '--kube-version',
    KUBERNETES_VERSION,
  ];
  const { status, stdout } = spawnSync(helm, args, { encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX });
  return status === 0 ? stdout : undefined;
}
