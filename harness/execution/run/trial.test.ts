import { describe, expect, it } from 'vitest';
import { realNow } from '../../determinism/real-time.ts';
import { roleOf } from '../../model/actor.ts';
import { phaseStart, phaseStartMs } from '../../model/history.ts';
import type { History } from '../../model/history.ts';
import type { Fault } from '../../model/schedule.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Program } from '../../model/workload.ts';
import { historyText } from './fingerprint.ts';
import { label, restless, runnerOf, SAMPLE, setReady, thinTarget, time, workload } from './testing.ts';
import type { Launch } from './host.ts';
import type { Send } from './testing.ts';

const STATUS = 'controller/update/widgets.example.com/status/default/a';
const quiet = { workload: workload(), schedule: EMPTY_SCHEDULE };

function faulty(...faults: readonly Fault[]): typeof quiet {
  return { workload: workload([], 'empty'), schedule: { ...EMPTY_SCHEDULE, faults } };
}

function phase({ revisions }: History): unknown {
  return revisions.findLast(({ resource }) => resource === 'widgets.example.com')?.object['status'];
}

/** Returns the number of writes that reached the server after settling began. */
function restWrites(history: History): number {
  const settle = phaseStart(history, 'settle');
  return history.revisions.filter(({ at, actor }) => at > settle && roleOf(actor) === 'target').length;
}

describe('a trial', () => {
  it('goes through its phases in order', async () => {
    const history = await runnerOf(thinTarget(setReady)).run(quiet);

    expect(history.phases.map(({ phase: name }) => name)).toEqual(['setup', 'contention', 'heal', 'settle', 'end']);
    const marks = history.phases.map(({ at }) => at);
    expect(marks).toEqual(marks.toSorted((a, b) => a - b));
    expect(phase(history)).toEqual({ phase: 'ready' });
  });

  it('says where its real time goes, of which the time of the run is no part', async () => {
    const runner = runnerOf(
      thinTarget(setReady, () => {
        setInterval(() => {}, 15_000);
      }),
    );
    const began = realNow();
    const history = await runner.run(quiet, { idleMs: 60_000 });
    const tookMs = realNow() - began;

    const { startMs = 0, contentionMs = 0, restMs = 0, furtherMs = 0 } = runner.times ?? {};
    for (const ms of [startMs, contentionMs, restMs, furtherMs]) expect(ms).toBeGreaterThan(0);
    expect(startMs + contentionMs + restMs + furtherMs).toBeLessThanOrEqual(tookMs);
    expect(phaseStartMs(history, 'end')).toBeGreaterThan(44_000);
  });

  it('passes time in a phase of its own when asked to, though nothing happens', async () => {
    const history = await runnerOf(
      thinTarget(setReady, () => {
        setInterval(() => {}, 15_000);
      }),
    ).run(quiet, { idleMs: 60_000 });

    const [idle, end] = history.phases.slice(-2);
    expect(idle?.phase).toBe('idle');
    expect((end?.timeMs ?? 0) - (idle?.timeMs ?? 0)).toBeGreaterThan(44_000);
  });

  it('lets the target rest before contention when it starts settled, and applies the sample in contention when empty', async () => {
    const runner = runnerOf(thinTarget(setReady));

    const settled = await runner.run(quiet);
    const empty = await runner.run({ ...quiet, workload: workload([], 'empty') });

    const created = ({ operations }: History): string | undefined =>
      operations.find(({ verb }) => verb === 'create')?.label;
    expect(settled.steps).toBe(0);
    expect(created(settled)).toBe('user/create/widgets.example.com/default/a#0!setup');
    expect(empty.steps).toBeGreaterThan(0);
    expect(created(empty)).toBe('user/create/widgets.example.com/default/a#0');
  });

  it('lets standing co-writers act once more at rest', async () => {
    const runner = runnerOf(thinTarget(setReady));
    const target = { group: 'example.com', version: 'v1', resource: 'widgets', namespace: 'default', name: 'a' };
    const touch: Program = {
      actor: 'writer-1',
      writer: 'self-healer',
      standing: true,
      ops: [{ do: 'set', target, path: ['metadata', 'labels', 'team'], value: 'a', via: 'merge-patch' }],
    };

    const { operations, phases } = await runner.run({ ...quiet, workload: workload([touch]) });

    const settle = phases.find(({ phase: name }) => name === 'settle')?.at ?? Infinity;
    const writes = operations.filter(({ actor, verb }) => actor === 'writer-1' && verb === 'patch');
    expect(writes.map(({ invoked }) => invoked.at > settle)).toEqual([false, true]);
  });

  it('gives the same history again, byte for byte', async () => {
    const runner = runnerOf(thinTarget(setReady));
    const trial = faulty({ do: 'crash', at: `${STATUS}#0!answered` });

    expect(historyText(await runner.run(trial))).toBe(historyText(await runner.run(trial)));
  });

  it('says which labels of the schedule never came up', async () => {
    const missing: Fault = { do: 'refuse', at: `${STATUS}#7!sent` };

    const history = await runnerOf(thinTarget(setReady)).run(faulty({ do: 'refuse', at: `${STATUS}#0!sent` }, missing));

    expect(history.missed).toEqual([missing.at]);
  });

  it('runs programs in contention, their undoing at heal, and what was asked for after rest', async () => {
    const program: Program = { actor: 'writer-1', writer: 'test', ops: [label('x')], heal: [label('healed')] };
    const after: Program = { actor: 'user', writer: 'user', ops: [label('after')] };

    const history = await runnerOf(thinTarget(setReady)).run(
      { ...quiet, workload: workload([program]) },
      { afterRest: [after] },
    );

    const writes = history.revisions
      .filter(({ actor, type }) => type === 'MODIFIED' && roleOf(actor) !== 'target')
      .map(({ actor, at, object }) => {
        const when = history.phases.findLast((mark) => mark.at < at)?.phase;
        return `${when} ${actor} ${object.metadata.labels?.['team']}`;
      });
    expect(writes).toEqual(['contention writer-1 x', 'settle writer-1 healed', 'settle user after']);
  });

  it('leaves seeded objects their uids and applies no sample', async () => {
    const seeded = { ...SAMPLE, metadata: { ...SAMPLE.metadata, uid: 'the-uid-it-had' } };

    const history = await runnerOf(thinTarget(setReady)).run(
      { ...quiet, workload: { ...workload(), sample: [] } },
      { seedObjects: [seeded] },
    );

    expect(new Set(history.revisions.map(({ uid }) => uid))).toEqual(new Set(['the-uid-it-had']));
    expect(history.operations.some(({ verb }) => verb === 'create')).toBe(false);
    expect(phase(history)).toEqual({ phase: 'ready' });
  });
});

describe('the history of a trial', () => {
  it('holds nothing of the teardown: what was open at the end stays open', async () => {
    const hangs = thinTarget(async (widget, send) => {
      await setReady(widget, send);
      await send('GET', '/api/v1/namespaces/default/configmaps');
    });
    const hold = { stream: 'controller/list/configmaps/default/*#0!answered', from: '@0', until: 'heal' };
    const trial = { workload: workload([], 'empty'), schedule: { ...EMPTY_SCHEDULE, holds: [hold] } };

    const history = await runnerOf(hangs, { settleStepsMax: 1 }).run(trial);

    const end = history.phases.at(-1)?.at ?? Number.NaN;
    expect(history.streamEnds).toEqual([]);
    expect(history.operations.filter(({ answered }) => (answered?.at ?? 0) > end)).toEqual([]);
  });
});

describe('how a trial ends', () => {
  it('is quiescent when nothing happens for the window', async () => {
    const runner = runnerOf(thinTarget(setReady));

    expect((await runner.run(quiet)).settlement).toEqual({ result: 'quiescent', windowMs: 10_000 });
    expect((await runner.run(quiet, { settleWindowMs: 500 })).settlement).toEqual({
      result: 'quiescent',
      windowMs: 500,
    });
  });

  it('is a hot instant when the target goes on without letting time pass', async () => {
    const history = await runnerOf(thinTarget(restless())).run(quiet);

    expect(history.settlement.result).toBe('hot-instant');
  });

  it('is out of steps when those are fewer', async () => {
    const history = await runnerOf(thinTarget(restless()), { settleStepsMax: 60 }).run(quiet);

    expect(history.settlement).toEqual({ result: 'steps-exceeded', steps: 60 });
  });

  it('is out of time when the target writes every few seconds for ever', async () => {
    const again = restless();
    const target = thinTarget(async (widget, send) => {
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      await again(widget, send);
    });

    const { settlement } = await runnerOf(target).run(quiet);

    expect(settlement.result).toBe('time-exceeded');
    expect(settlement).toMatchObject({ timeMs: expect.any(Number) as number });
  });

  it('is quiescent for a target that polls without writing, once its reads do not count', async () => {
    const poll = (send: Send): void => {
      setInterval(() => void send('GET', '/api/v1/namespaces/default/configmaps').catch(() => {}), 3_000);
    };
    const runner = runnerOf(thinTarget(setReady, poll));

    expect((await runner.run(quiet)).settlement.result).toBe('time-exceeded');
    runner.habits.readsAreActivity = false;
    expect((await runner.run(quiet)).settlement.result).toBe('quiescent');
  });

  it('comes as soon after contention for a target that polls, once its reads do not count', async () => {
    const poll = (send: Send): void => {
      setInterval(() => void send('GET', '/api/v1/namespaces/default/configmaps').catch(() => {}), 200);
    };
    const runner = runnerOf(thinTarget(setReady, poll));
    runner.habits.readsAreActivity = false;
    const program: Program = { actor: 'writer-1', writer: 'test', ops: [label('x')] };

    const { steps } = await runner.run({ ...quiet, workload: workload([program]) });

    expect(steps).toBeLessThan(100);
  });
});

describe('a target that goes down', () => {
  it('by the schedule comes back under the next name and finishes the work', async () => {
    const history = await runnerOf(thinTarget(setReady)).run(faulty({ do: 'crash', at: `${STATUS}#0!sent` }));

    expect(history.processes.map(({ actor, kind }) => `${actor} ${kind}`)).toEqual([
      'controller started',
      'controller crashed',
      'controller~2 started',
    ]);
    const crashed = history.processes[1]?.at ?? Number.NaN;
    expect(history.operations.filter(({ actor, invoked }) => actor === 'controller' && invoked.at > crashed)).toEqual(
      [],
    );
    expect(history.revisions.at(-1)).toMatchObject({ actor: 'controller~2', object: { status: { phase: 'ready' } } });
  });

  it('fires no timer of its earlier life', async () => {
    const fired: number[] = [];
    let lives = 0;
    const target = thinTarget(setReady, () => {
      const life = lives++;
      // The timer takes longer than the target is left undisturbed before contention.
      setTimeout(() => fired.push(life), 2_500);
    });

    await runnerOf(target).run(faulty({ do: 'crash', at: `${STATUS}#0!sent` }));

    expect(fired).toEqual([1]);
  });

  it('on its own is started again, but not for ever', async () => {
    const exits = thinTarget(async () => {});
    const history = await runnerOf((actor, upstream, tell, copy) => {
      const incarnation = exits(actor, upstream, tell, copy);
      queueMicrotask(() => tell('exited', 'process.exit(1)'));
      return incarnation;
    }).run(quiet);

    expect(history.processes.filter(({ kind }) => kind === 'exited')).toHaveLength(6);
    expect(history.processes.at(-1)).toMatchObject({ actor: 'controller~6', kind: 'exited' });
  });

  it('gets a second copy beside it where the schedule says', async () => {
    const history = await runnerOf(thinTarget(setReady)).run(faulty({ do: 'start-replica', at: `${STATUS}#0!sent` }));

    expect(history.processes.map(({ actor, kind }) => `${actor} ${kind}`)).toEqual([
      'controller started',
      'controller~2 started',
    ]);
    expect(history.settlement.result).toBe('quiescent');
  });
});

describe('variants of a trial', () => {
  it('silence a target that only answers itself by not showing it its own writes', async () => {
    const runner = runnerOf(thinTarget(restless()), { settleStepsMax: 100 });
    const shown = await runner.run(quiet);
    const withheld = await runner.run(quiet, { withholdEcho: true });

    expect(shown.settlement.result).toBe('steps-exceeded');
    expect(restWrites(shown)).toBeGreaterThan(10);
    expect(withheld.settlement.result).toBe('quiescent');
    expect(restWrites(withheld)).toBeLessThan(4);
  });

  it('start a fresh incarnation at rest, and record what it does', async () => {
    const history = await runnerOf(thinTarget(setReady)).run(quiet, { freshIncarnation: true });

    expect(history.processes.map(({ actor, kind }) => `${actor} ${kind}`)).toEqual([
      'controller started',
      'controller stopped',
      'controller~2 started',
    ]);
    expect(history.streamEnds).toMatchObject([{ actor: 'controller', why: 'crash' }]);
    expect(history.operations.filter(({ actor }) => actor === 'controller~2').map(({ verb }) => verb)).toEqual([
      'list',
      'watch',
    ]);
  });
});

describe('what comes late', () => {
  const WATCH = 'controller/watch/widgets.example.com/default#0';
  /** Returns a runner whose target sets the status once and lists config maps every minute. */
  const ticking = (): ReturnType<typeof runnerOf> =>
    runnerOf(
      thinTarget(setReady, (send) => {
        setInterval(() => void send('GET', '/api/v1/namespaces/default/configmaps'), 60_000);
      }),
    );
  const touch: Program = { actor: 'writer-1', writer: 'test', ops: [label('a')] };
  const delivered = ({ deliveries }: History): readonly { readonly lateMs: number; readonly at: number }[] =>
    deliveries
      .filter(({ actor, k, stream }) => roleOf(actor) === 'target' && k === 0 && stream === WATCH)
      .map(({ timeMs, available, at }) => ({ lateMs: timeMs - available.timeMs, at }));

  it('is overtaken by deadlines of the target, and comes when the schedule says', async () => {
    const at = `${WATCH}/a@0`;
    const trial = {
      workload: workload([touch]),
      schedule: { ...EMPTY_SCHEDULE, faults: [{ do: 'delay', forMs: 150_000, at } satisfies Fault] },
    };
    const history = await ticking().run(trial);
    const again = await ticking().run(trial);

    const [event] = delivered(history);
    expect(event?.lateMs).toBeGreaterThanOrEqual(150_000);
    expect(event?.lateMs).toBeLessThan(151_000);
    const polls = history.operations.filter(
      ({ resource, invoked }) =>
        resource === 'configmaps' && invoked.at > phaseStart(history, 'contention') && invoked.at < (event?.at ?? 0),
    );
    expect(polls).toHaveLength(2);
    expect(history.missed).toEqual([]);
    expect(history.decisions.map(({ kind, label: of, detail }) => `${kind} ${of} ${detail}`)).toEqual([
      `fault ${at} delay it for 150 s`,
      `release ${at} after 150 s`,
    ]);
    expect(historyText(again)).toBe(historyText(history));
  });

  it('is over at heal, and with the life that waits for it', async () => {
    const faults: readonly Fault[] = [
      { do: 'delay', forMs: 60_000, at: `${STATUS}#0!answered` },
      { do: 'crash', at: 'controller/get/configmaps/default/x#0!sent' },
    ];
    const history = await runnerOf(
      thinTarget(setReady, (send) => {
        setTimeout(() => void send('GET', '/api/v1/namespaces/default/configmaps/x'), 30_000);
      }),
    ).run(faulty(...faults));

    expect(history.settlement.result).toBe('quiescent');
    expect(phase(history)).toEqual({ phase: 'ready' });
  });

  it('is never held for more than ten minutes while somebody waits for hours', async () => {
    const waits: Program = {
      actor: 'writer-2',
      writer: 'test',
      ops: [{ ...label('b'), afterMs: 3 * 3_600_000 }],
    };
    const history = await ticking().run({
      workload: workload([touch, waits]),
      schedule: { ...EMPTY_SCHEDULE, holds: [{ stream: WATCH, from: '@0', until: 'heal' }] },
    });

    expect(delivered(history).map(({ lateMs }) => Math.round(lateMs / 1_000))).toEqual([600]);
    expect(history.operations.filter(({ actor, verb }) => actor === 'writer-2' && verb === 'update')).toHaveLength(1);
  });

  it('is part of an answer where a watch begins with a list: a minute, however late an event may be', async () => {
    const PODS = 'controller/watch/configmaps/default#0';
    let listedMs: number | undefined;
    const launch: Launch = (actor, upstream, tell) => {
      time.runAs(actor, () => {
        const query = {
          watch: 'true',
          sendInitialEvents: 'true',
          resourceVersionMatch: 'NotOlderThan',
          allowWatchBookmarks: 'true',
        };
        const path = '/api/v1/namespaces/default/configmaps';
        const open = (): void => {
          upstream.send(
            { method: 'GET', path, query, headers: {} },
            {
              answer: () => {},
              open: () => {},
              event: ({ type }) => {
                if (type === 'BOOKMARK') listedMs = time.now();
              },
              end: () => {},
            },
          );
        };
        setTimeout(open, 2_500);
        setInterval(() => {}, 30_000);
      });
      tell('started', '');
      return { crash: () => time.dropOwner(actor) };
    };
    const made = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default', name: 'c' };
    const history = await runnerOf(launch).run({
      workload: workload([
        {
          actor: 'writer-1',
          writer: 'test',
          ops: [
            { do: 'create', target: made, object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } } },
            { ...label('b'), afterMs: 3_600_000 },
          ],
        },
      ]),
      schedule: { ...EMPTY_SCHEDULE, holds: [{ stream: PODS, from: '@0', until: 'heal' }] },
    });

    const watch = history.operations.find(({ resource, verb }) => resource === 'configmaps' && verb === 'watch');
    expect(watch?.label).toBe(PODS);
    expect((listedMs ?? Infinity) - (watch?.invoked.timeMs ?? 0)).toBeLessThan(61_000);
    expect(history.deliveries.filter(({ stream }) => stream === PODS).length).toBeGreaterThan(1);
  });
});
