/** A foreign cluster for tests: an embedded API server on loopback, with access to its contents. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import { startStalemate } from './test-bin.ts';

interface Listing {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

export interface ServedCluster {
  /** The folder from which commands are run. */
  readonly cwd: string;
  readonly kubeconfig: string;
  readonly env: { readonly XDG_STATE_HOME: string };
  /** Lists the names of its namespaces, CRDs and priority classes. */
  contents(): Promise<string>;
}

/** Serves a cluster for the tests of the calling suite. */
export function serveCluster(): ServedCluster {
  const cwd = mkdtempSync(join(tmpdir(), 'stalemate-existing-'));
  const kubeconfig = join(cwd, 'kubeconfig');
  const env = { XDG_STATE_HOME: join(cwd, 'state') };
  let served: ReturnType<typeof startStalemate>;

  beforeAll(async () => {
    vi.stubEnv('XDG_STATE_HOME', env.XDG_STATE_HOME);
    served = startStalemate(['serve', '--plain-http', '--write-kubeconfig', kubeconfig], cwd);
    await once(served.stdout, 'data');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    served.kill('SIGTERM');
    await once(served, 'exit');
    rmSync(cwd, { recursive: true, force: true });
  });

  const contents = async (): Promise<string> => {
    const url = /server: (\S+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1] ?? '';
    const paths = [
      '/api/v1/namespaces',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      '/apis/scheduling.k8s.io/v1/priorityclasses',
    ];
    // The server would close an idle connection while a run blocks this process, so none is kept alive.
    const headers = { connection: 'close' };
    const lists = await Promise.all(
      paths.map(async (path) => (await (await fetch(`${url}${path}`, { headers })).json()) as Listing),
    );
    return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)).join(' ');
  };
  return { cwd, kubeconfig, env, contents };
}
