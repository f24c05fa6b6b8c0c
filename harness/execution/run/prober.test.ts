import { describe, expect, it } from 'vitest';
import { WIDGETS_PATH } from 'stalemate-apiserver/testing';
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { finalRevisions, type History, type Revision } from '../../model/history.ts';
import type { ExpectedState, ProbeRequest, ProbeResult } from '../../model/probe.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Program, ProgramOp } from '../../model/workload.ts';
import { foreignInput } from './foreign-input.ts';
import { Prober, type RunVariant } from './prober.ts';
import { takeReferences } from './references.ts';
import { labelled, proberOf, QUIET } from './test-prober.ts';
import { label, restless, runnerOf, SAMPLE, setPhase, setReady, thinTarget, withChild, workload } from './testing.ts';
import type { Reconcile } from './testing.ts';

const EXPECTED: ProbeRequest = { probe: 'expected-state' };

/** Returns the object with the keys of all its maps in reverse order. */
function backwards(object: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(object), (_, value: JsonValue) =>
    isMap(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
  ) as KubeObject;
}

function outcomesOf(result: ProbeResult): readonly ExpectedState[] {
  return 'outcomes' in result ? result.outcomes : [];
}

describe('the expected state', () => {
  it.each([
    ['is up from the start', ['started'], true],
    ['ends once, to begin again with what it has made', ['started', 'exited', 'started'], true],
    ['does not come back', ['started', 'exited'], false],
    ['cannot be started', ['start-failed'], false],
    ['keeps ending', ['started', 'exited', 'started', 'exited', 'started', 'exited', 'started'], false],
  ] as const)('of a copy that %s', async (_, kinds, settled) => {
    const runner = runnerOf(thinTarget(setReady));
    const { reference } = await takeReferences(runner, workload(), []);
    const processes = kinds.map((kind, at) => ({ at, timeMs: at, actor: 'controller', kind, detail: '' }));
    const run = async (...[trial, variant]: Parameters<RunVariant>): Promise<History> => ({
      ...(await runner.run(trial, variant)),
      processes,
    });

    const result = await new Prober(run, workload(), reference).probe(EXPECTED, QUIET, await runner.run(QUIET));

    expect(result).toMatchObject({ settled });
  });

  it('is what a fresh target makes of the final state without anything that is its own', async () => {
    const { prober, runner } = await proberOf(withChild);

    const result = await prober.probe(EXPECTED, QUIET, await runner.run(labelled('x')));

    expect(result).toMatchObject({
      probe: 'expected-state',
      settled: true,
      outcomes: [
        {
          objects: {
            'widgets.example.com/default/a': { metadata: { labels: { team: 'x' } }, status: { phase: 'ready' } },
            'configmaps/default/a-child': { data: { of: 'a' } },
          },
        },
      ],
    });
  });

  it('is made again twice, each time with another seed', async () => {
    const { prober, runner } = await proberOf(withChild);
    const run = await runner.run(labelled('x'));

    const other = await prober.probe({ probe: 'other-copies' }, QUIET, run);

    // The server generates the uid of a child.
    const uids = outcomesOf(other).map(({ objects }) => objects['configmaps/default/a-child']?.metadata.uid);
    expect(new Set(uids).size).toBe(2);
    expect(prober.runs).toBe(2);
    expect(await prober.probe({ probe: 'other-copies' }, QUIET, run)).toBe(other);
    expect(prober.runs).toBe(2);
  });

  it('is made twice more with objects of one kind one after the other, in order and in reverse', async () => {
    let free = 0;
    const number: Reconcile = async (widget, send) => {
      const { phase } = (widget['status'] ?? {}) as { phase?: string };
      if (phase === undefined) await setPhase(widget, `number ${free++}`, send);
    };
    const begin = (): void => {
      free = 0;
    };
    const runner = runnerOf(thinTarget(number, begin));
    const both = { ...workload(), sample: [SAMPLE, { ...SAMPLE, metadata: { name: 'b', namespace: 'default' } }] };
    const { reference } = await takeReferences(runner, both, []);
    const prober = new Prober((trial, variant) => runner.run(trial, variant), both, reference);

    const target = { group: 'example.com', version: 'v1', resource: 'widgets', namespace: 'default', name: 'b' };
    const removed: Program = { actor: 'writer-1', writer: 'test', ops: [{ do: 'delete', target }] };
    // An object that is gone at the end had its part of the pool too.
    for (const programs of [[], [removed]]) {
      const run = await runner.run({ workload: { ...both, programs }, schedule: EMPTY_SCHEDULE });
      const copies = await prober.probe({ probe: 'other-copies' }, QUIET, run);

      const phases = ('inOrder' in copies ? (copies.inOrder ?? []) : []).map(({ objects }) =>
        ['a', 'b'].flatMap((name) => objects[`widgets.example.com/default/${name}`]?.['status'] ?? []),
      );
      const numbered = (...all: readonly number[]): readonly unknown[] => all.map((n) => ({ phase: `number ${n}` }));
      expect(phases).toEqual(programs.length === 0 ? [numbered(0, 1), numbered(1, 0)] : [numbered(0), numbered(1)]);
    }
  });

  it('is made once more without what another client made in the place of the target’s own', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const withVolume: Reconcile = async (widget, send) => {
      const isThere = (await send('GET', `${path}/a-child`)).code !== 404;
      const volume = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'volume' } };
      if (!isThere) await send('POST', path, volume);
      await withChild(widget, send);
    };
    const { prober, runner } = await proberOf(withVolume);
    const child = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'a-child' };
    const again: ProgramOp = { do: 'delete', target: child, recreate: 'same' };
    const replaced = { ...QUIET, workload: workload([{ actor: 'writer-1', writer: 'test', ops: [again] }]) };

    const copies = await prober.probe({ probe: 'other-copies' }, QUIET, await runner.run(replaced));

    const namesIn = (outcome: ExpectedState | undefined): readonly string[] => Object.keys(outcome?.objects ?? {});
    expect(namesIn(outcomesOf(copies)[0])).not.toContain('configmaps/default/volume');
    expect(namesIn('withoutReplacements' in copies ? copies.withoutReplacements : undefined)).toContain(
      'configmaps/default/volume',
    );
  });

  it('shows in other copies what they do minutes later', async () => {
    const { prober, runner } = await proberOf(async (widget, send) => {
      setTimeout(() => void withChild(widget, send), 60_000);
      await setReady(widget, send);
    });
    const run = await runner.run(labelled('x'));

    const [usual, other] = [
      await prober.probe(EXPECTED, QUIET, run),
      await prober.probe({ probe: 'other-copies' }, QUIET, run),
    ];
    const isThere = ({ objects }: ExpectedState): boolean => 'configmaps/default/a-child' in objects;

    expect(outcomesOf(usual).map(isThere)).toEqual([false]);
    expect(new Set(outcomesOf(other).map(isThere))).toEqual(new Set([true, false]));
  });

  it('is made once per foreign input, and known from then on', async () => {
    const { prober, runner } = await proberOf(withChild);
    const first = await runner.run(labelled('x'));
    expect(prober.known(first)).toEqual([]);

    const made = await prober.probe(EXPECTED, QUIET, first);
    // Different ids, times and versions do not make it a different input.
    const again = await runner.run(labelled('x'), { seed: 99, clockOffsetMs: 5_000_000 });

    expect(await prober.probe(EXPECTED, QUIET, again)).toBe(made);
    expect(prober.known(again)).toEqual([made]);
    expect(prober.runs).toBe(1);

    const other = await runner.run(labelled('y'));
    expect(prober.known(other)).toEqual([]);
    expect(await prober.probe(EXPECTED, QUIET, other)).not.toEqual(made);
    expect(prober.runs).toBe(2);
  });

  it('is the same for maps whose keys were written in another order', async () => {
    const { prober, runner } = await proberOf(withChild);
    const history = await runner.run(labelled('x'));
    const turned = {
      ...history,
      revisions: history.revisions.map((one) => ({ ...one, object: backwards(one.object) })),
    };

    const made = await prober.probe(EXPECTED, QUIET, history);

    expect(Object.keys(turned.revisions[0]?.object ?? {})).not.toEqual(Object.keys(history.revisions[0]?.object ?? {}));
    expect(prober.known(turned)).toEqual([made]);
  });

  it('is made once where lanes ask for it at the same time', async () => {
    const runner = runnerOf(thinTarget(withChild));
    const { reference } = await takeReferences(runner, workload(), []);
    const history = await runner.run(labelled('x'));
    let runs = 0;
    const run: RunVariant = (trial, variant) => {
      runs++;
      return runner.run(trial, variant);
    };
    const prober = new Prober(run, workload(), reference);

    const asked = [prober, prober.elsewhere(run)].map((lane) => lane.probe(EXPECTED, QUIET, history));
    const [one, other] = await Promise.all(asked);

    expect(runs).toBe(1);
    expect(other).toBe(one);
  });

  it('is not known of a run that never settled', async () => {
    const { prober, runner } = await proberOf(restless());
    const history = await runner.run(QUIET);

    await prober.probe(EXPECTED, QUIET, history);

    expect(prober.known(history)).toEqual([]);
  });

  it('starts from what is foreign: no object of the target, no leaf that it owns', async () => {
    const runner = runnerOf(thinTarget(withChild));
    const { reference } = await takeReferences(runner, workload(), []);
    const history = await runner.run(labelled('x'));

    expect(finalRevisions(history).map(({ resource }) => resource)).toEqual(['widgets.example.com', 'configmaps']);
    const [widget, ...rest] = foreignInput(history, reference);
    expect(rest).toEqual([]);
    expect(widget).toMatchObject({ metadata: { name: 'a', labels: { team: 'x' } }, spec: { size: 1 } });
    expect(JSON.stringify(widget)).not.toContain('ready');
  });

  it('starts without notes that only the target has made, though in the references it made none', async () => {
    const runner = runnerOf(thinTarget(withChild));
    const { reference } = await takeReferences(runner, workload(), []);
    const history = await runner.run(labelled('x'));
    const last = finalRevisions(history).find(({ resource }) => resource === 'widgets.example.com');
    if (last === undefined) throw new TypeError('the run left no widget');
    const noting = (actor: string): Revision => {
      const { metadata } = last.object;
      const object = { ...last.object, metadata: { ...metadata, annotations: { 'example.com/again-at': 'noon' } } };
      return { ...last, type: 'MODIFIED', actor, op: -1, before: last.object, object, at: last.at + 1 };
    };
    const noted = (...by: readonly Revision[]): string =>
      JSON.stringify(foreignInput({ ...history, revisions: [...history.revisions, ...by] }, reference));

    expect(noted(noting('controller'))).not.toContain('again-at');
    expect(noted(noting('writer-1'), noting('controller'))).toContain('again-at');
  });

  it('starts with what the user set where the target writes its own form of it', async () => {
    // Behaves like an operator that normalises quantities and fills in defaults in its own custom resource.
    const canonical: Reconcile = async (widget, send) => {
      const spec = widget['spec'] as { readonly free?: { readonly cpu?: string } };
      const { cpu } = spec.free ?? {};
      if (cpu === '2000m')
        await send('PUT', `${WIDGETS_PATH}/a`, { ...widget, spec: { ...spec, free: { cpu: '2', memory: '1Gi' } } });
      else await setPhase(widget, `limited to ${cpu ?? 'nothing'}`, send);
    };
    const sample = [{ ...SAMPLE, spec: { size: 1, free: { cpu: '2000m' } } }];
    const runner = runnerOf(thinTarget(canonical));
    const { reference } = await takeReferences(runner, { ...workload(), sample }, []);
    const history = await runner.run({ ...QUIET, workload: { ...workload(), sample } });
    const prober = new Prober((trial, variant) => runner.run(trial, variant), { ...workload(), sample }, reference);

    expect(reference.ownedLeaves['widgets.example.com:a']).toEqual([
      'spec.free.cpu',
      'spec.free.memory',
      'status.phase',
    ]);
    const [widget] = foreignInput(history, reference);
    expect(widget?.['spec']).toMatchObject({ size: 1, free: { cpu: '2000m' } });
    expect(JSON.stringify(widget)).not.toContain('memory');
    const made = finalRevisions(history).map(({ object }) => ({ spec: object['spec'], status: object['status'] }));
    expect(await prober.probe(EXPECTED, QUIET, history)).toMatchObject({
      outcomes: [{ objects: { 'widgets.example.com/default/a': made[0] } }],
    });
    expect(JSON.stringify(made)).toContain('limited to 2');
  });

  it('starts without objects of kinds that the target defines itself', async () => {
    const runner = runnerOf(thinTarget(withChild));
    const { reference } = await takeReferences(runner, workload(), []);
    const history = await runner.run(QUIET);
    const [first] = history.revisions;
    if (first === undefined) throw new TypeError('the run changed nothing');
    const made = (actor: string, resource: string, name: string): Revision => ({
      ...first,
      type: 'ADDED',
      actor,
      resource,
      name,
      uid: name,
    });
    const defined = [
      made('controller', 'customresourcedefinitions.apiextensions.k8s.io', 'parts.example.com'),
      made('writer-1', 'parts.example.com', 'p'),
    ];

    expect(foreignInput({ ...history, revisions: [...history.revisions, ...defined] }, reference)).toEqual(
      foreignInput(history, reference),
    );
  });
});

describe('probes of first runs', () => {
  it('run a workload undisturbed once for all of its trials', async () => {
    const { prober, runner } = await proberOf(setReady);
    const history = await runner.run(QUIET);
    const first = prober.forFirstRuns();
    const runsOf = async (one: Prober, probe: 'undisturbed' | 'step-by-step'): Promise<number> => {
      const before = one.runs;
      for (let n = 0; n < 2; n++) await one.probe({ probe }, QUIET, history);
      return one.runs - before;
    };
    const each = await runsOf(prober, 'step-by-step');
    await runsOf(first, 'step-by-step');

    expect(each).toBeGreaterThan(1);
    expect(await runsOf(first, 'step-by-step')).toBe(0);
    expect(await runsOf(first, 'undisturbed')).toBeLessThan(await runsOf(prober, 'undisturbed'));
  });

  it('take an undisturbed run that was judged for one of its workload', async () => {
    const { prober, runner } = await proberOf(setReady);
    const history = await runner.run(QUIET);
    const expected = await prober.probe(EXPECTED, QUIET, history);
    const first = prober.forFirstRuns();
    first.learn(QUIET, { history: { ...history, probes: [expected] } });

    expect(await first.probe({ probe: 'undisturbed' }, QUIET, history)).toMatchObject({ settled: true });
    expect(first.runs).toBe(0);
  });

  it('know what earlier runs were convicted of, and other probes do not', async () => {
    const { prober, runner } = await proberOf(setReady);
    const history = await runner.run(QUIET);
    const first = prober.forFirstRuns();
    const kinds = ['extra-object configmaps'];
    first.learn(QUIET, { history, convicted: kinds });

    expect(first.known(history)).toContainEqual({ probe: 'known-violated', kinds });
    expect(prober.forFirstRuns().known(history)).toContainEqual({ probe: 'known-violated', kinds });
    expect(prober.known(history)).toEqual([]);
  });
});

describe('other probes', () => {
  it('tell how a workload ends whose operations come one by one, each at rest', async () => {
    // Makes a child for each label and never deletes one.
    const { prober } = await proberOf(async (widget, send) => {
      const name = `for-${widget.metadata.labels?.['team'] ?? 'none'}`;
      const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
      await send('POST', '/api/v1/namespaces/default/configmaps', child);
    });
    const ops = [label('x'), label('y')];
    const trial: Trial = { ...QUIET, workload: workload([{ actor: 'writer-1', writer: 'test', ops }]) };
    const { runner } = await proberOf(setReady);

    const result = await prober.probe({ probe: 'step-by-step' }, trial, await runner.run(trial));

    const left = 'final' in result ? result.final.map(({ metadata }) => metadata.name) : [];
    expect(result).toMatchObject({ probe: 'step-by-step', settled: true });
    expect(left).toEqual(expect.arrayContaining(['for-none', 'for-x', 'for-y']));
  });

  it('tell what a fresh incarnation writes at rest', async () => {
    // Sets the status only once per incarnation, so a second incarnation writes it again.
    let lives = 0;
    const runner = runnerOf((...launched) => {
      const phase = `life-${lives++}`;
      let done = false;
      return thinTarget(async (widget, send) => {
        if (done) return;
        done = true;
        const path = '/apis/example.com/v1/namespaces/default/widgets/a/status';
        await send('PUT', path, { ...widget, status: { phase } });
      })(...launched);
    });
    const { reference } = await takeReferences(runner, workload(), []);
    const prober = new Prober((trial, variant) => runner.run(trial, variant), workload(), reference);
    const history = await runner.run(QUIET);

    const result = await prober.probe({ probe: 'fresh-incarnation' }, QUIET, history);

    expect(result).toMatchObject({ probe: 'fresh-incarnation', settled: true });
    expect(result).toMatchObject({
      writes: [expect.stringMatching(/^update widgets\.example\.com\/a status\.phase=/)],
    });
  });

  it('find no write of a fresh incarnation where all is done', async () => {
    const { prober, runner } = await proberOf(setReady);

    const result = await prober.probe({ probe: 'fresh-incarnation' }, QUIET, await runner.run(QUIET));

    expect(result).toEqual({ probe: 'fresh-incarnation', writes: [], paths: [], settled: true });
  });

  it('count what is written at rest with and without the echo', async () => {
    const { prober, runner } = await proberOf(restless());
    const history = await runner.run(QUIET);

    const shown = await prober.probe({ probe: 'extended-settle', windowMs: 1_000 }, QUIET, history);
    const withheld = await prober.probe({ probe: 'withheld-echo' }, QUIET, history);

    expect(shown).toMatchObject({ probe: 'extended-settle', quiescent: false });
    expect('writesAtRest' in shown ? shown.writesAtRest : 0).toBeGreaterThan(10);
    expect('writesAtRest' in withheld ? withheld.writesAtRest : 99).toBeLessThan(4);
  });

  it('run the workload undisturbed, beside what a fresh target makes of the outcome', async () => {
    const { prober, runner } = await proberOf(setReady);
    const disturbed: Trial = {
      ...labelled('x'),
      schedule: {
        ...EMPTY_SCHEDULE,
        faults: [{ do: 'crash', at: 'controller/update/widgets.example.com/status/default/a#0!sent' }],
      },
    };

    const result = await prober.probe({ probe: 'undisturbed' }, disturbed, await runner.run(disturbed));

    expect(result).toMatchObject({
      probe: 'undisturbed',
      settled: true,
      final: [{ metadata: { labels: { team: 'x' } }, status: { phase: 'ready' } }],
    });
    expect('expected' in result ? result.expected : []).toHaveLength(1);
  });
});
