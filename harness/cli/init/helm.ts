/**
 * Finds Helm on PATH, or builds it from the Go module proxy.
 *
 * Start at {@link findHelm}.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { KUBERNETES_VERSION, userCache } from 'stalemate-apiserver/control-plane/binaries';

/** The release to build, whose sources are on the module proxy. */
const VERSION = 'v3.19.0';
/** Time limit of the build, which compiles hundreds of packages. */
const BUILD_MS = 600_000;
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** The name of the program that is built, for messages. */
export const HELM: string = `helm ${VERSION}`;

function builtPath(): string {
  return join(userCache(), 'tools', `helm-${VERSION}`, 'helm');
}

/** Returns the command that calls Helm; undefined if Helm is not installed or built. */
export function findHelm(): string | undefined {
  if (spawnSync('helm', ['version', '--short'], { stdio: 'ignore' }).status === 0) return 'helm';
  return existsSync(builtPath()) ? builtPath() : undefined;
}

/** Reports whether Helm can be built here. */
export function canBuildHelm(): boolean {
  return spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;
}

/** Builds Helm into the user's cache folder; returns undefined if that failed. */
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

/** Renders a chart without hooks, whose jobs would not run; undefined if it does not render without the network. */
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
