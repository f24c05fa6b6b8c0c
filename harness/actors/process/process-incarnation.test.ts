/** Ending an incarnation that is still being started leaves nothing behind. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { EnclosurePool } from './enclosure-pool.ts';
import { startProcess } from './process-incarnation.ts';
import { processHost, type ProcessHost, type ServeLife } from './process-settings.ts';

const before = process.env['TMPDIR'];
const folder = mkdtempSync(join(tmpdir(), 'stalemate-incarnation-'));
afterAll(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  rmSync(folder, { recursive: true, force: true });
});

const target = {
  command: ['sleep', '1000'],
  cwd: '/',
  env: {},
  network: 'none',
  ready: 'quiet',
  readyWithinMs: 1_000,
  graceMs: 0,
  metrics: '',
  inCluster: false,
  fileSystem: 'own',
  time: 'real',
} as const;
const { hasOwnFiles } = await EnclosurePool.open({ network: 'none', fileSystem: 'own' });
const upstream = { send: () => () => {} };
const front = { url: 'https://127.0.0.1:1', close: () => Promise.resolve() };

/** Returns a host for incarnations in an enclosure of a pool, and a function that waits until that enclosure is back in the pool. */
async function lives(
  serve: ServeLife,
): Promise<{ readonly host: ProcessHost; readonly isGivenBack: () => Promise<void> }> {
  process.env['TMPDIR'] = folder;
  const pool = await EnclosurePool.open({ network: 'none', fileSystem: 'own' });
  const first = await pool.take();
  first.giveBack();
  return {
    host: processHost({ serve, target, files: [], namespace: 'default', enclosures: pool, print: () => {} }),
    isGivenBack: async () => {
      // While the enclosure is in use, each `take` opens another one.
      for (;;) {
        const next = await pool.take();
        if (next.enter.join() === first.enter.join()) return;
      }
    },
  };
}

it.each([0, 1, 3, 10, 30])('after %d turns of the event loop', async (turns) => {
  const { host, isGivenBack } = await lives(() => Promise.resolve(front));
  const events: string[] = [];

  const life = startProcess(host, 'controller', upstream, (kind, detail) => events.push(`${kind} ${detail}`));
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  life.crash();

  await isGivenBack();
  while (readdirSync(folder).some((name) => name.startsWith('stalemate-target-'))) await delay(5);
  expect(events.filter((one) => one.startsWith('start-failed'))).toEqual([]);
});

it('without keeping others waiting while its folder is removed, and tells when that is done', async () => {
  const { host } = await lives(() => Promise.resolve(front));
  const started = Promise.withResolvers<undefined>();
  const clearing: Promise<void>[] = [];

  const life = startProcess(
    { ...host, clearing: (removed) => clearing.push(removed) },
    'controller',
    upstream,
    (kind) => kind === 'started' && started.resolve(undefined),
  );
  await started.promise;
  life.crash();

  expect(readdirSync(folder)).toHaveLength(1);
  await Promise.all(clearing);
  expect(readdirSync(folder)).toEqual([]);
});

it('although what it was to talk to fails only then', async () => {
  const asked = Promise.withResolvers<undefined>();
  const answer = Promise.withResolvers<typeof front>();
  const { host, isGivenBack } = await lives(() => {
    asked.resolve(undefined);
    return answer.promise;
  });

  const life = startProcess(host, 'controller', upstream, () => {});
  await asked.promise;
  life.crash();
  answer.reject(new Error('too late'));

  await isGivenBack();
  expect(readdirSync(folder)).toEqual([]);
});

it('keeps others away from what a target leaves in its folder, whatever that does to it', async () => {
  const { host, isGivenBack } = await lives(() => Promise.resolve(front));
  const printed = Promise.withResolvers<string>();
  const script = 'chmod 777 "$STALEMATE_LIFE" && echo opened; sleep 1000';

  const life = startProcess(
    { ...host, target: { ...target, command: ['/bin/sh', '-c', script] }, print: (_, line) => printed.resolve(line) },
    'controller',
    upstream,
    () => {},
  );

  expect(await printed.promise).toBe('opened');
  expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o700]);
  life.crash();
  await isGivenBack();
  while (readdirSync(folder).length > 0) await delay(5);
});

it('finds its kubeconfig also where clients look without being told', async () => {
  const { host } = await lives(() => Promise.resolve(front));
  const printed = Promise.withResolvers<string>();
  const command = [
    '/bin/sh',
    '-c',
    '[ "$(cat "$HOME/.kube/config")" = "$(cat "$KUBECONFIG")" ] && echo the same; sleep 1000',
  ];

  const life = startProcess(
    { ...host, target: { ...target, command }, print: (_, line) => printed.resolve(line) },
    'controller',
    upstream,
    () => {},
  );
  const line = await printed.promise;
  life.crash();

  expect(line).toBe('the same');
});

it('is in the namespace of its pod, by its kubeconfig', async () => {
  const { host } = await lives(() => Promise.resolve(front));
  const printed = Promise.withResolvers<string>();
  const command = ['/bin/sh', '-c', 'grep -o "namespace[^a-z]*[a-z-]*" "$KUBECONFIG"; sleep 1000'];

  const life = startProcess(
    { ...host, podNamespace: 'own', target: { ...target, command }, print: (_, line) => printed.resolve(line) },
    'controller',
    upstream,
    () => {},
  );
  const line = await printed.promise;
  life.crash();

  expect(line).toMatch(/^namespace\W+own$/);
});

describe.runIf(hasOwnFiles)('the in-cluster configuration', () => {
  const cleared = async (): Promise<void> => {
    while (readdirSync(folder).some((name) => name.startsWith('stalemate-target-'))) await delay(5);
  };

  /** Runs a script and returns what it prints and how its process ends, in order. */
  async function shown(script: string, enough: number): Promise<readonly string[]> {
    const { host } = await lives(() => Promise.resolve(front));
    const seen: string[] = [];
    const done = Promise.withResolvers<undefined>();
    const add = (line: string): void => {
      if (seen.push(line) === enough) done.resolve(undefined);
    };
    const life = startProcess(
      { ...host, target: { ...target, command: ['/bin/sh', '-c', script] }, print: (_, line) => add(line) },
      'controller',
      upstream,
      (kind, detail) => kind !== 'started' && add(`${kind} ${detail}`),
    );
    await done.promise;
    life.crash();
    await cleared();
    return seen;
  }
  const lacks = 'panic: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined';

  it('is given to a program that ends without it', async () => {
    const script =
      `[ -n "$KUBERNETES_SERVICE_HOST" ] || { echo "${lacks}"; exit 2; }; ` +
      'cd /var/run/secrets/kubernetes.io/serviceaccount && ' +
      'echo "$KUBERNETES_SERVICE_HOST $KUBERNETES_SERVICE_PORT $(cat token) $(head -1 ca.crt)"; sleep 1000';

    expect(await shown(script, 2)).toEqual([lacks, '127.0.0.1 1 stalemate -----BEGIN CERTIFICATE-----']);
  });

  it('is not given to a program that is asked to end', async () => {
    const { host } = await lives(() => Promise.resolve(front));
    const seen: string[] = [];
    const ended = Promise.withResolvers<undefined>();
    const command = ['/bin/sh', '-c', `echo "${lacks}"; exec sleep 1000`];
    const life = startProcess(
      { ...host, target: { ...target, command }, print: () => life.stop() },
      'controller',
      upstream,
      (kind) => {
        seen.push(kind);
        if (kind === 'exited') ended.resolve(undefined);
      },
    );
    await ended.promise;
    life.crash();
    await cleared();

    expect(seen).toEqual(['started', 'exited']);
    expect(host.podAccess.isNeeded).toBe(false);
  });

  it('is not given again, and not to a program that ends for another reason', async () => {
    expect(await shown(`echo "${lacks}"; exit 2`, 3)).toEqual([lacks, lacks, 'exited with code 2']);
    expect(await shown('echo "$KUBERNETES_SERVICE_HOST."; exit 3', 2)).toEqual(['.', 'exited with code 3']);
  });
});
