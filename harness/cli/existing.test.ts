/** `--cluster existing` and `clean`, from the command line. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { between } from '../clusters/existing/test-between.ts';
import { stalemate, startStalemate } from './test-bin.ts';
import { serveCluster } from './test-cluster.ts';

const RELEASES = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));
const TARGETS = fileURLToPath(new URL('../test/targets/', import.meta.url));
const RUN = [
  'run',
  '--cluster',
  'existing',
  '--crds',
  join(RELEASES, 'crd.yaml'),
  '--sample',
  join(RELEASES, 'sample.yaml'),
  '--target',
  join(RELEASES, 'correct', 'controller.ts'),
];
describe('a cluster that is named', { timeout: 300_000 }, () => {
  const cluster = serveCluster();
  const { cwd, kubeconfig, env } = cluster;
  const contents = (): Promise<string> => cluster.contents();

  it('is refused with exit code 5 where only the environment leads to it', async () => {
    const before = await contents();

    const ambient = stalemate(RUN, { cwd, env: { ...env, KUBECONFIG: kubeconfig } });
    const inCluster = stalemate(RUN, { cwd, env: { ...env, KUBERNETES_SERVICE_HOST: '10.0.0.1' } });
    const variable = stalemate(RUN, { cwd, env: { ...env, STALEMATE_KUBECONFIG: kubeconfig } });

    expect(ambient.code).toBe(5);
    expect(ambient.stderr).toMatch(/expected --kubeconfig FILE, or --context with the exact name/);
    expect(inCluster.code).toBe(5);
    expect(variable.code).toBe(2);
    expect(variable.stderr).toMatch(/never taken from the environment/);
    expect(await contents()).toBe(before);
  });

  it('lists what it would touch, and touches nothing', async () => {
    const before = await contents();

    const { code, stdout } = stalemate([...RUN, '--kubeconfig', kubeconfig, '--dry-run'], { cwd, env });

    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^cluster: context "stalemate" at http:\/\/127\.0\.0\.1:\d+ \(v1\.\S+\), namespaces stalemate-/,
    );
    expect(stdout).toContain('would make the definition releases.delivery.example.com');
    expect(await contents()).toBe(before);
  });

  it('is let in because stalemate serves it, or by who may say so, and not by a project', async () => {
    const url = /server: (\S+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1] ?? '';
    const system = (await (await fetch(`${url}/api/v1/namespaces/kube-system`)).json()) as {
      metadata: { uid: string };
    };
    const { uid } = system.metadata;
    const plan = [...RUN, '--kubeconfig', kubeconfig, '--dry-run'];
    // Simulates another machine, which reaches the cluster through a tunnel and has no record of it.
    const home = { XDG_STATE_HOME: join(cwd, 'elsewhere'), XDG_CONFIG_HOME: join(cwd, 'config') };
    const codeWith = (env: { readonly [name: string]: string }, ...more: readonly string[]): number | null =>
      stalemate([...plan, ...more], { cwd, env: { ...home, ...env } }).code;

    const refused = stalemate(plan, { cwd, env: home });

    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain(`expected --allow-cluster ${uid} or --allow-context stalemate`);
    expect(codeWith({}, '--allow-cluster', uid)).toBe(0);
    expect(codeWith({}, '--allow-context', 'stalemate')).toBe(0);
    expect(codeWith({ STALEMATE_ALLOW_CLUSTER: uid })).toBe(0);
    expect(codeWith({ STALEMATE_ALLOW_CONTEXT: 'another\nstalemate' })).toBe(0);
    writeFileSync(join(cwd, 'stalemate.config.yaml'), 'allowContexts: [stalemate]\n');
    expect(codeWith({})).toBe(2);
    rmSync(join(cwd, 'stalemate.config.yaml'));
    mkdirSync(join(cwd, 'config', 'stalemate'), { recursive: true });
    writeFileSync(join(cwd, 'config', 'stalemate', 'clusters.json'), '{"version": 1, "contexts": ["stalemate"]}');
    expect(codeWith({})).toBe(0);
  });

  it('is as it was after a run', async () => {
    const before = await contents();

    // This test is about what is left in the cluster, so one seed and a property without probes are enough.
    const search = ['--budget', '2', '--seed', '1', '--property', 'no-lost-update'];
    const { code, stdout } = stalemate([...RUN, '--kubeconfig', kubeconfig, ...search], { cwd, env });

    expect(code).not.toBe(2);
    expect(stdout).toMatch(/cluster: context "stalemate" at .*\n(?:.*\n)*.*2 runs/);
    expect(await contents()).toBe(before);
    expect(stalemate(['clean'], { cwd, env }).stdout).toContain('nothing is left of earlier runs');
  });

  it('says once what the target may not make, and makes what is allowed for as long as the run goes on', async () => {
    const before = await contents();
    const sample = ['--crds', join(TARGETS, 'crd.yaml'), '--sample', join(TARGETS, 'sample.yaml')];
    const allowed = ['--allow-cluster-write', 'priorityclasses.scheduling.k8s.io=fir*', '--network', 'host'];
    const there = ['--cluster', 'existing', '--kubeconfig', kubeconfig, ...sample, ...allowed];
    const search = ['--budget', '1', '--seed', '1', '--property', 'no-lost-update'];
    const command = [process.execPath, join(TARGETS, 'reaches-out.mjs')];

    const { stdout } = stalemate(['run', ...there, ...search, '--', ...command], { cwd, env });

    expect(stdout).toMatch(/^cluster: .*, and outside of namespaces priorityclasses\.scheduling\.k8s\.io=fir\*$/m);
    expect(stdout.match(/create clusterrolebindings/g)).toHaveLength(1);
    expect(stdout).toContain("--allow-cluster-write 'clusterrolebindings.rbac.authorization.k8s.io=everybody'");
    expect(stdout).not.toContain('create priorityclasses');
    expect(await contents()).toBe(before);
    expect(stalemate(['run', '--allow-cluster-write', 'all'], { cwd, env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('got --allow-cluster-write "all", expected KIND=NAME') as string,
    });
  });

  it('takes away what a run that was killed had been allowed to make', async () => {
    const before = await contents();
    const sample = ['--crds', join(TARGETS, 'crd.yaml'), '--sample', join(TARGETS, 'sample.yaml')];
    const allowed = ['--allow-cluster-write', 'priorityclasses.scheduling.k8s.io=first', '--network', 'host'];
    const there = ['run', '--cluster', 'existing', '--kubeconfig', kubeconfig, ...sample, ...allowed];
    const killed = startStalemate([...there, '--', process.execPath, join(TARGETS, 'reaches-out.mjs')], cwd, env);
    killed.stdout.resume();
    killed.stderr.resume();
    // The run removes what it has recorded, and an object that it was still creating might be another client's.
    while (!recordedNames(join(cwd, 'state', 'stalemate', 'clusters')).includes('first')) await delay(50);
    killed.kill('SIGKILL');
    await once(killed, 'exit');

    const { stdout, code } = stalemate(['clean'], { cwd, env });

    expect(stdout).toContain('removed priorityclasses.scheduling.k8s.io first');
    expect(code).toBe(0);
    expect(await contents()).toBe(before);
  });

  it('ends with exit code 5 when it is redirected in the middle of a run, and is cleaned when it is itself again', async () => {
    const before = await contents();
    const url = /server: (\S+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1] ?? '';
    let isMoved = false;
    const front = between(url, ({ method, url: path = '', headers }) => {
      // Redirect everything from the target's first create of a Deployment on.
      isMoved ||= method === 'POST' && path.includes('/deployments') && headers['user-agent'] !== 'stalemate';
      return isMoved ? { code: 308, location: `${url}${path}` } : undefined;
    }).listen(0, '127.0.0.1');
    await once(front, 'listening');
    const file = join(cwd, 'between.yaml');
    const { port } = front.address() as AddressInfo;
    writeFileSync(file, readFileSync(kubeconfig, 'utf8').replace(url, `http://127.0.0.1:${port}`));
    const invoked = async (
      args: readonly string[],
    ): Promise<{ readonly code: number | null; readonly text: string }> => {
      const child = startStalemate(args, cwd, env);
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (piece: Buffer) => (text += piece.toString()));
      const [code] = (await once(child, 'close')) as unknown as readonly [number | null];
      return { code, text };
    };

    const run = await invoked([...RUN, '--kubeconfig', file, '--budget', '60s', '--seed', '1']);
    const refused = await invoked(['clean']);
    isMoved = false;
    const cleaned = await invoked(['clean']);

    expect(run.text).toContain('the API server redirects requests (308 to ');
    expect(run.code).toBe(5);
    expect(refused.code).toBe(5);
    expect(cleaned.code).toBe(0);
    expect(await contents()).toBe(before);
    front.closeAllConnections();
    front.close();
  });

  it('keeps what a run has noted that goes on elsewhere', () => {
    const folder = join(cwd, 'state', 'stalemate', 'clusters');
    mkdirSync(folder, { recursive: true });
    const head = { version: 1, run: 'abc', url: 'http://127.0.0.1:1', context: 'stalemate', kubeconfig, allowed: [] };
    const process = { host: 'another', pid: 1, started: '' };
    writeFileSync(join(folder, 'abc.jsonl'), `${JSON.stringify({ ...head, process })}\n`);

    const { code, stdout } = stalemate(['clean'], { cwd, env });

    expect(code).toBe(0);
    expect(stdout).toContain(
      'run abc on context "stalemate" at http://127.0.0.1:1 may still be running (process 1 of another)',
    );
    rmSync(folder, { recursive: true });
  });
});

/** Returns the names of the objects that runs have recorded as created. */
function recordedNames(folder: string): readonly string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
  return lines.flatMap((line) => /"object":\{.*"name":"([^"]+)"/.exec(line)?.[1] ?? []);
}
