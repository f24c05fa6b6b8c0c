import { describe, expect, it } from 'vitest';
import { CONFIGMAPS_PATH } from 'stalemate-apiserver/testing';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { Random } from '../../determinism/random.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { ReplayScheduler } from '../../schedule/replay-scheduler.ts';
import { pump } from './pump.ts';
import type { PumpRule } from './pump.ts';
import { label, runnerOf, SAMPLE, sender, WIDGET, time } from './testing.ts';
import { World } from './world.ts';

const RULE: PumpRule = { stepsMax: 100, hotMax: 100, mayWaitUntil: () => true };

async function world(): Promise<World> {
  const { host } = runnerOf(() => ({ crash: () => {} }));
  const made = new World(host, new Random(1), 0);
  await host.cluster.seed([SAMPLE]);
  return made;
}

function inDefaultOrder(of: World, rule: Partial<PumpRule> = {}): ReturnType<typeof pump> {
  return pump(of, new ReplayScheduler(EMPTY_SCHEDULE), { ...RULE, ...rule });
}

describe('the pump', () => {
  it('lets timers be late only after a while of nothing else, and never while somebody works on an item', async () => {
    const of = await world();
    const late: number[] = [];
    const { time } = of.host;
    time.hurry = (slackMs) => late.push(slackMs);
    for (const afterMs of [10_000, 40_000]) time.after(afterMs, 'user', () => {});
    time.after(60_000, 'user', () => of.startProgram({ actor: 'writer-1', writer: 'test', ops: [label('x')] }));

    await inDefaultOrder(of, { mayBeLate: true });

    expect(late.slice(0, 4)).toEqual([0, 500, 2_000, 0]);
    expect(late.slice(3).every((slackMs) => slackMs === 0)).toBe(true);
    late.length = 0;
    await inDefaultOrder(of);
    expect(late).toEqual([]);
    of.close();
  });

  it('is idle when nothing is left to do', async () => {
    const of = await world();
    of.startProgram({ actor: 'writer-1', writer: 'test', ops: [label('x')] });

    expect(await inDefaultOrder(of)).toBe('idle');
    expect(of.steps).toBe(4);
    expect(of.recorder.revisions.at(-1)?.object.metadata.labels).toEqual({ team: 'x' });
    of.close();
  });

  it('ends a stretch after so many items, or so many at one instant', async () => {
    const of = await world();
    of.startProgram({ actor: 'writer-1', writer: 'test', ops: [label('x'), label('y'), label('z')] });

    expect(await inDefaultOrder(of, { stepsMax: 3 })).toBe('steps');
    expect(await inDefaultOrder(of, { hotMax: 5 })).toBe('hot');
    expect(of.steps).toBe(8);
    of.close();
  });

  it('ends no stretch for its bounds before the moment from which they count', async () => {
    const of = await world();
    of.startProgram({ actor: 'writer-1', writer: 'test', ops: [label('x'), label('y'), label('z')] });

    expect(await inDefaultOrder(of, { stepsMax: 3, hotMax: 3, boundsFromMs: Number.POSITIVE_INFINITY })).toBe('idle');
    expect(of.steps).toBeGreaterThan(3);
    of.close();
  });

  it('lets time pass only as far as the rule says', async () => {
    const of = await world();
    const fired: number[] = [];
    time.runAs('controller', () => {
      setTimeout(() => fired.push(1_000), 1_000);
      setTimeout(() => fired.push(5_000), 5_000);
    });

    expect(await inDefaultOrder(of, { mayWaitUntil: (atMs) => atMs <= 2_000 })).toBe('idle');
    expect(fired).toEqual([1_000]);
    expect(of.pollTimer()).toMatchObject({ kind: 'timer', label: 'controller/timer#1', atMs: 5_000 });
    of.close();
  });

  it('leaves out what is withheld', async () => {
    const of = await world();
    void sender(of.gate.port('controller'))('GET', CONFIGMAPS_PATH);

    expect(await inDefaultOrder(of, { withheld: ({ verb }) => verb === 'list' })).toBe('idle');
    expect(of.gate.pending).toHaveLength(1);
    of.close();
  });
});

describe('a world', () => {
  it('lets no two requests see the same millisecond', async () => {
    const of = await world();
    const send = sender(of.gate.port('controller'));
    void send('GET', CONFIGMAPS_PATH);
    void send('GET', CONFIGMAPS_PATH);

    await inDefaultOrder(of);

    const [one, two] = of.recorder.operations.map(({ sent }) => sent?.timeMs ?? Number.NaN);
    expect(two).toBeGreaterThan(one ?? Number.NaN);
    of.close();
  });

  it('counts writes and reads of the target as activity, its leases and others not', async () => {
    const of = await world();
    const activityAfter = async (actor: string, path: string): Promise<boolean> => {
      of.restartSilence(-1);
      void sender(of.gate.port(actor))('GET', path);
      await inDefaultOrder(of);
      return of.lastActivityMs >= 0;
    };

    expect(await activityAfter('controller', CONFIGMAPS_PATH)).toBe(true);
    expect(await activityAfter('writer-1', CONFIGMAPS_PATH)).toBe(false);
    expect(await activityAfter('controller', '/apis/coordination.k8s.io/v1/namespaces/default/leases')).toBe(false);
    of.readsAreActivity = false;
    expect(await activityAfter('controller', CONFIGMAPS_PATH)).toBe(false);
    of.close();
  });

  it('counts a read as activity that comes again and again only once something has changed', async () => {
    const of = await world();
    of.readsAreActivity = 'when-new';
    const send = sender(of.gate.port('controller'));
    const isActivity = async (method: 'GET' | 'POST', path: string, body?: JsonValue): Promise<boolean> => {
      of.restartSilence(-1);
      void send(method, path, body);
      await inDefaultOrder(of);
      return of.lastActivityMs >= 0;
    };
    const list = (): Promise<boolean> => isActivity('GET', CONFIGMAPS_PATH);

    expect([await list(), await list(), await list(), await list(), await list()]).toEqual([
      ...[true, true, true],
      ...[false, false],
    ]);
    expect(await isActivity('GET', `${CONFIGMAPS_PATH}/other`)).toBe(true);
    expect(await list()).toBe(false);
    expect(await isActivity('POST', CONFIGMAPS_PATH, { metadata: { name: 'made' } })).toBe(true);
    expect(await list()).toBe(true);
    of.close();
  });

  it('runs what an actor undoes after what it has under way', async () => {
    const of = await world();
    of.startProgram({ actor: 'writer-1', writer: 'test', ops: [label('x'), label('y')] });
    await inDefaultOrder(of, { stepsMax: 1 });

    of.endPrograms();
    of.startProgram({ actor: 'writer-1', writer: 'test', ops: [label('healed')] }, { outlastsContention: true });
    await inDefaultOrder(of);

    // The operation in progress completes, the next operation does not start, and the heal operation comes last.
    expect(of.recorder.revisions.map(({ object }) => object.metadata.labels?.['team'])).toEqual([
      undefined,
      'x',
      'healed',
    ]);
    of.close();
  });

  it('lets an actor wait for an object that is still to be made', async () => {
    const of = await world();
    const target = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'loose~0' };
    const marks = { do: 'set', target, path: ['metadata', 'labels', 'seen'], value: 'yes', via: 'update' } as const;
    of.startProgram({ actor: 'writer-1', writer: 'test', ops: [marks] });
    expect(await inDefaultOrder(of)).toBe('idle');
    expect(of.steps).toBe(0);

    const send = sender(of.gate.port('controller'));
    void send('POST', CONFIGMAPS_PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'loose-' } });
    await inDefaultOrder(of);

    const made = of.recorder.revisions.find(({ resource, type }) => resource === 'configmaps' && type === 'MODIFIED');
    expect(made?.object.metadata.labels).toEqual({ seen: 'yes' });
    of.close();
  });

  it('lets nobody wait for what is not made before contention ends', async () => {
    const of = await world();
    const target = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'loose~0' };
    of.startProgram({ actor: 'writer-1', writer: 'test', ops: [{ do: 'delete', target }, label('x')] });
    await inDefaultOrder(of);
    of.endPrograms();

    await inDefaultOrder(of);

    expect(of.steps).toBe(0);
    of.close();
  });

  it('resolves canonical names to real ones, and only those', async () => {
    const of = await world();

    expect(of.realName(WIDGET)).toBe('a');
    expect(of.realName({ ...WIDGET, name: 'web/worker~0' })).toBe('web/worker~0');
    of.close();
  });

  it('starts a second copy as another one, and what takes its place as the same', () => {
    const copies: (readonly [string, number])[] = [];
    const { host } = runnerOf((actor, _, __, copy) => {
      copies.push([actor, copy]);
      return { crash: () => {} };
    });
    const { incarnations } = new World(host, new Random(1), 0);

    incarnations.launch();
    incarnations.crash('controller');
    incarnations.launch();
    incarnations.crash('controller~3');
    incarnations.crash('controller~2');

    expect(copies).toEqual([
      ['controller', 0],
      ['controller~2', 0],
      ['controller~3', 1],
      ['controller~4', 1],
      ['controller~5', 0],
    ]);
  });

  it('cuts every life when it closes', async () => {
    const { host } = runnerOf(() => ({ crash: () => crashed.push('crashed') }));
    const crashed: string[] = [];
    const of = new World(host, new Random(1), 0);
    const first = of.incarnations.launch();
    const second = of.incarnations.launch();
    void sender(of.gate.port(first))('GET', CONFIGMAPS_PATH);
    await host.drain(of);

    of.close();

    expect([first, second]).toEqual(['controller', 'controller~2']);
    expect(crashed).toHaveLength(2);
    expect(of.gate.pending).toEqual([]);
    const metadata = { name: 'late', namespace: 'default' };
    expect(
      await sender(host.cluster)('POST', CONFIGMAPS_PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata }),
    ).toMatchObject({ code: 201 });
    expect(of.recorder.revisions).toEqual([]);
  });
});
