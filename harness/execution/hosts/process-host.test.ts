/** Tests single runs of programs that behave unusually, judged like undisturbed runs. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { openEnclosure } from '../../actors/process/enclosure.ts';
import type { ProcessManner, ProgramTime } from '../../model/counterexample.ts';
import type { History } from '../../model/history.ts';
import { EMPTY_SCHEDULE, type Fault } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import { loadCrds, loadSamples } from '../project/manifests.ts';
import { resolveCommand, startedBeside } from '../config/process-target.ts';
import { checkAlive } from '../run/undisturbed-trouble.ts';
import { TrialRunner } from '../run/runner.ts';
import type { TrialVariant } from '../run/trial-options.ts';
import { createHost } from './create-host.ts';

const targets = fileURLToPath(new URL('../../test/targets/', import.meta.url));
const crds = loadCrds([`${targets}crd.yaml`]);
const sample = loadSamples([`${targets}sample.yaml`], crds, new Set()).map((object) => ({
  ...object,
  metadata: { ...object.metadata, namespace: 'default' },
}));
const settings = {
  seed: 1,
  stepsMax: 400,
  settleWindowMs: 100,
  settleStepsMax: 800,
  garbageCollection: true,
  namespaceController: true,
  replicasMax: 1,
} as const;

/** Two incarnations can listen on the same port only if each has its own network namespace. */
const enclosure = await openEnclosure({ network: 'none', fileSystem: 'own' });
const hasOwnNetwork = enclosure.network === 'none';
const hasSteering = enclosure.unsteered === null;

const folder = mkdtempSync(`${tmpdir()}/stalemate-host-`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Started {
  readonly manner?: Partial<ProcessManner>;
  readonly env?: { readonly [name: string]: string };
  readonly fileSystem?: 'host';
  readonly time?: ProgramTime;
  /** The script and arguments of each program beside the target, by name. */
  readonly beside?: { readonly [name: string]: readonly string[] };
  readonly variant?: TrialVariant;
}

/** Makes one run of `listens.mjs` with these arguments. */
async function runIn(time: ProgramTime, behaviour: readonly string[], started: Started = {}): Promise<History> {
  const workload = { version: 1, start: 'settled', sample, programs: [] } as const;
  return trialOf(['listens.mjs', ...behaviour], { workload, schedule: EMPTY_SCHEDULE }, { time, ...started });
}

/** Makes one run of the program that elects a leader: the sample is applied under contention with these faults. */
async function electionIn(time: ProgramTime, faults: readonly Fault[]): Promise<History> {
  const workload = { version: 1, start: 'empty', sample, programs: [] } as const;
  // The window is longer than the interval at which a replica reads the lock.
  const variant = { settleWindowMs: 500 };
  return trialOf(
    ['elects.mjs', '1', hasOwnNetwork ? '8081' : '{port}'],
    { workload, schedule: { ...EMPTY_SCHEDULE, faults } },
    { variant, time },
  );
}

async function trialOf(program: readonly string[], trial: Trial, started: Started = {}): Promise<History> {
  const { manner = {}, env = {}, variant = {}, fileSystem = 'own', time = 'real', beside = {} } = started;
  const [script = '', ...args] = program;
  const command = [process.execPath, `${targets}${script}`, ...args];
  const own = resolveCommand({ command, directory: folder, env, fileSystem, manner: { time, ...manner } });
  const programs = Object.entries(beside).map(([name, words]) => {
    const [file = '', ...rest] = words;
    const program = { command: [process.execPath, `${targets}${file}`, ...rest], directory: '.' };
    return [name, startedBeside(program, folder, { GREETING: `hello from ${name}` })];
  });
  const target = programs.length === 0 ? own : { ...own, programs: Object.fromEntries(programs) };
  const subject = {
    crds,
    samples: sample,
    project: null,
    cluster: 'embedded' as const,
    reportDir: null,
    namespace: 'default',
    settings,
    properties: [],
    configFile: null,
  };
  const host = await createHost({ ...subject, target: '', process: target, transport: 'http-library' });
  const history = await new TrialRunner(host, settings).run(trial, variant);
  checkAlive(history, host.containment);
  return history;
}

function printed({ logs = [] }: History): readonly string[] {
  return logs.map(({ line }) => line);
}

function stops({ processes }: History): readonly string[] {
  return processes.flatMap(({ actor, kind, detail }) => (kind === 'stopped' ? [`${actor} ${detail}`] : []));
}

describe.each(hasSteering ? (['real', 'virtual'] as const) : (['real'] as const))('in %s time', (time) => {
  const runOf = (behaviour: readonly string[], started: Started = {}): Promise<History> =>
    runIn(time, behaviour, started);
  const electionOf = (faults: readonly Fault[]): Promise<History> => electionIn(time, faults);

  describe.concurrent('a process', () => {
    it('is started in its folder, with what its environment is to hold', async () => {
      const env = { GREETING: 'hello, {namespace}' };

      expect(printed(await runOf(['says-its-environment'], { env }))).toContain(`hello, default from ${folder}`);
    });

    if (time === 'virtual') {
      it('lives minutes at once', async () => {
        const history = await runOf(['works-now-and-then'], { variant: { idleMs: 16 * 60_000 } });

        expect(printed(history).filter((line) => line === 'five minutes have passed')).toHaveLength(3);
      });
    }

    it('may flood its log: both ends are kept, and what is missing is told', async () => {
      const history = await runOf(['floods']);

      expect(printed(history).length).toBeLessThan(1_000);
      expect(printed(history)[0]).toBe('line 0 of far too many');
      expect(printed(history).join('\n')).toMatch(/\(\d+ lines left out\)/);
      expect(printed(history).at(-1)).toBe('caches are synced');
    });

    it.each(['url:http://127.0.0.1:{port}/readyz', 'log:^caches are synced$', 'watch:widgets'])(
      'is waited for until it is ready by %s',
      async (ready) => {
        const history = await runOf(['serves-ready', '{port}'], { manner: { ready } });

        expect(history.settlement).toMatchObject({ result: 'quiescent' });
        expect(printed(history)).toContain('caches are synced');
      },
    );

    it('is waited for until it is ready by what it was answered', async () => {
      const history = await runOf(['serves-ready-once-synced', '{port}'], {
        manner: { ready: 'url:http://127.0.0.1:{port}/readyz' },
      });

      expect(history.settlement).toMatchObject({ result: 'quiescent' });
    });

    it('is looked at from outside, and asked how often it reconciled', async () => {
      const metrics = 'http://127.0.0.1:{port:metrics}/metrics';

      const { measurements = [] } = await runOf(['serves-metrics', '{port:metrics}'], { manner: { metrics } });

      expect(measurements).toMatchObject([
        { actor: 'controller', when: 'start', reconciles: { success: 1 } },
        { actor: 'controller', when: 'healed', reconciles: { success: 2 } },
        { actor: 'controller', when: 'at-rest', reconciles: { success: 3 } },
        { actor: 'controller', when: 'end', reconciles: { success: 4 } },
      ]);
      const files = measurements.flatMap(({ footprint }) => footprint?.fileDescriptors ?? []);
      // The program opens ten files for each request; rounding removes connections. Systems without /proc report no counts.
      const tens = files.map((count) => Math.round((count - (files[0] ?? 0)) / 10));
      expect(tens).toEqual(existsSync('/proc/self/fd') ? [0, 1, 2, 3] : []);
    });

    it('that serves no metrics says why there are none', async () => {
      const { measurements = [] } = await runOf(['well'], { manner: { metrics: 'http://127.0.0.1:{port:m}/metrics' } });

      expect(measurements[0]?.metricsFailed).toContain('ECONNREFUSED');
    });

    it('is asked to end before another takes its place, and may say so', async () => {
      const history = await runOf(['ends-in-time'], { variant: { freshIncarnation: true } });

      expect(stops(history)).toEqual(['controller as it was asked to, with code 0']);
      expect(printed(history)).toContain('asked to end');
    });

    it('is killed when it does not end although it was asked to', async () => {
      const history = await runOf(['ignores-sigterm'], { variant: { freshIncarnation: true } });

      expect(stops(history)).toEqual(['controller by the harness, for it did not end when asked to']);
      expect(printed(history)).toContain('no');
    });

    it('is asked to end at the end of a run where that is wanted', async () => {
      const file = join(folder, 'last-words');

      await runOf(['ends-in-time'], { manner: { graceMs: 20_000 }, env: { LAST_WORDS: file }, fileSystem: 'host' });

      expect(readFileSync(file, 'utf8')).toBe('asked to end');
    });

    it.each([
      [
        'is never ready',
        { behaviour: ['well'], manner: { ready: 'watch:pods', readyWithinMs: 500 } },
        /never became ready: it was not ready within 0.5 s; check --ready/,
      ],
      [
        'prints a stack trace and ends after its first request',
        { behaviour: ['fails'] },
        /ended \d times in an undisturbed run \(with code 1\).*\nThe target printed last:\n.*  Error: cannot go on after the first list\n {6}at /s,
      ],
      [
        'ignores its kubeconfig',
        { behaviour: ['strays'], manner: { readyWithinMs: 1_000 } },
        /sent no request.*does it read KUBECONFIG.*(reached no other cluster|check whether it used another cluster)/s,
      ],
      [
        'finds its port taken',
        { behaviour: ['takes-ports', '{port}'] },
        /exited while starting \(with code 1\).*a port is taken, let it listen on {port}\nThe target printed last:.*EADDRINUSE/s,
      ],
      [
        'goes into the background',
        { behaviour: ['daemonises'] },
        // What is in the background may send a request before it is ended.
        /(?:exited while starting|in an undisturbed run) \(with code 0\).*start it in the foreground/,
      ],
    ])('that %s is told of', async (_, { behaviour, manner }: Started & { behaviour: readonly string[] }, message) => {
      await expect(runOf(behaviour, manner === undefined ? {} : { manner })).rejects.toThrow(message);
    });
  });

  describe.concurrent('a process with a program beside it', () => {
    const lives = ({ processes }: History): readonly string[] =>
      processes.map(({ actor, kind }) => `${actor} ${kind}`).filter((text) => /started|crashed/.test(text));

    it('has two lives that each have an environment of their own and talk to one server', async () => {
      const history = await runOf(['well'], { beside: { other: ['listens.mjs', 'says-its-environment'] } });

      expect(lives(history)).toEqual(['controller started', 'controller:other started']);
      expect(history.logs).toContainEqual(
        expect.objectContaining({ actor: 'controller:other', line: `hello from other from ${folder}` }),
      );
      const watching = history.operations.filter(({ verb }) => verb === 'watch').map(({ actor }) => actor);
      expect(watching.toSorted()).toEqual(['controller', 'controller:other']);
    });

    it.each([
      ['controller', 'controller~2'],
      ['controller:other', 'controller:other~2'],
    ])('crashes without the other: %s', async (actor, next) => {
      const workload = { version: 1, start: 'empty', sample, programs: [] } as const;
      const faults = [{ do: 'crash', at: `${actor}/patch/widgets.example.com/default/a#0!sent` }] as const;

      const history = await trialOf(
        ['takes-finalizers.mjs'],
        { workload, schedule: { ...EMPTY_SCHEDULE, faults } },
        { time, beside: { other: ['takes-finalizers.mjs'] } },
      );

      expect(lives(history).slice(2)).toEqual([`${actor} crashed`, `${next} started`]);
    });

    it('is told of where that one does not stay up', async () => {
      await expect(runOf(['well'], { beside: { other: ['listens.mjs', 'fails'] } })).rejects.toThrow(
        /^the target's program "other" ended \d times in an undisturbed run/,
      );
    });
  });

  describe.concurrent('a process that elects a leader', () => {
    const marked = ({ operations }: History): readonly string[] =>
      operations.flatMap(({ actor, verb, resource, outcome }) =>
        verb === 'patch' && resource === 'widgets.example.com' && outcome.type === 'ok' ? [actor] : [],
      );

    it('is waited for after its death until its lock has expired and another has taken over', async () => {
      const history = await electionOf([{ do: 'crash', at: 'controller/patch/widgets.example.com/default/a#0!sent' }]);

      expect(marked(history)).toEqual(['controller~2']);
      expect(printed(history)).toEqual(['leading', 'leading']);
    });

    it('loses its lock to another while it stands still', async () => {
      const patch = 'controller/patch/widgets.example.com/default/a#0';

      const { processes, revisions } = await electionOf([
        { do: 'start-replica', at: `${patch}!sent` },
        { do: 'pause', forMs: 5_000, at: `${patch}!answered` },
      ]);

      const [paused, resumed] = processes.filter(({ kind }) => kind === 'paused' || kind === 'resumed');
      expect([paused, resumed]).toMatchObject([
        { actor: 'controller', kind: 'paused' },
        { actor: 'controller', kind: 'resumed' },
      ]);
      const writers = revisions
        .filter(
          ({ resource, at }) => resource.startsWith('leases.') && at > (paused?.at ?? 0) && at < (resumed?.at ?? 0),
        )
        .map(({ actor }) => actor);
      // Requests that the first incarnation sent before it was stopped may still be in flight.
      expect(writers.at(-1)).toBe('controller~2');
    });

    it.runIf(hasOwnNetwork)(
      'may run twice, also with one port, and the second leaves the work to the first',
      async () => {
        const history = await electionOf([
          { do: 'start-replica', at: 'controller/patch/widgets.example.com/default/a#0!sent' },
        ]);

        expect(marked(history)).toEqual(['controller']);
        expect(printed(history)).toEqual(['leading']);
        const asked = history.operations.filter(
          ({ actor, resource }) => actor === 'controller~2' && resource.startsWith('leases'),
        );
        expect(asked.map(({ verb }) => verb)).toContain('get');
        expect(asked.map(({ verb }) => verb)).not.toContain('update');
      },
    );
  });
});
