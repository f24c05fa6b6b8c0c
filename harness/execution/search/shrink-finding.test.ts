import { describe, expect, it } from 'vitest';
import { signatureText } from '../../model/signature.ts';
import {
  deviationText,
  EMPTY_SCHEDULE,
  type Fault,
  type Hold,
  type Preemption,
  type Schedule,
} from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import { historyBuilder, manifest } from '../../oracle/test-history.ts';
import { emptyHistory } from '../run/empty-history.ts';
import type { Judged } from '../run/judge.ts';
import type { Attempt } from './attempt.ts';
import { MODULE_MODE, REAL_MODE } from '../run/run-mode.ts';
import { violation } from '../run/test-verdicts.ts';
import {
  reproduce,
  counterfactuals,
  gradeOf,
  shrinkFinding,
  type Shrunk,
  type ShrinkOptions,
  type Wanted,
} from './shrink-finding.ts';

const PREEMPTION: Preemption = {
  before: 'controller/update/a#0!sent',
  run: 'writer-1',
  until: 'writer-1/get/a#0!sent',
};
const HOLD: Hold = { stream: 'controller/watch/things/default#0', from: '@0', until: 'heal' };
const FAULT: Fault = { do: 'crash', at: 'controller/update/a#1!sent' };
const SCHEDULE: Schedule = { ...EMPTY_SCHEDULE, preemptions: [PREEMPTION], holds: [HOLD], faults: [FAULT] };
const TRIAL: Trial = { workload: { version: 1, start: 'settled', sample: [], programs: [] }, schedule: SCHEDULE };
const VIOLATION = violation();
const WANTED: Wanted = {
  property: 'test',
  in: ({ violations }) =>
    violations.find(({ signature }) => signatureText(signature) === signatureText(VIOLATION.signature)),
};

/** Returns an attempt that runs nothing: each result has the violations that `of` returns for the trial. */
function attempting(of: (trial: Trial) => readonly ReturnType<typeof violation>[]): Attempt {
  return (trial, _, times) =>
    Promise.resolve(
      Array.from({ length: times }, () => ({
        history: emptyHistory('none'),
        violations: of(trial),
        inconclusive: new Map<string, string>(),
      })),
    );
}

const needsFault = attempting(({ schedule }) => (schedule.faults.length > 0 ? [VIOLATION] : []));
const shrunk: Shrunk = { trial: TRIAL, history: emptyHistory('none'), violation: VIOLATION, executions: 1 };

function steady(attempt: Attempt): ShrinkOptions {
  return { attempt, outOfTime: () => false, proof: MODULE_MODE.proof, keepHolds: false };
}

describe('shrinking a finding', () => {
  it('keeps to the signature: another violation does not count', async () => {
    const attempt = attempting(({ schedule }) =>
      schedule.faults.length > 0 ? [VIOLATION] : [violation({ class: 'other' })],
    );

    const result = (await shrinkFinding(TRIAL, WANTED, steady(attempt))).at(-1);

    expect(result?.trial.schedule).toEqual({ ...EMPTY_SCHEDULE, faults: [FAULT] });
    expect(result?.violation).toBe(VIOLATION);
  });

  it('takes no warning for a smaller form of an error, but for one that comes without any disturbance', async () => {
    const warning = { ...VIOLATION, severity: 'warning' } as const;
    const milder = attempting(({ schedule }) =>
      schedule.faults.length > 0 ? [VIOLATION] : schedule.holds.length > 0 ? [warning] : [],
    );
    const always = attempting(({ schedule }) => (schedule.faults.length > 0 ? [VIOLATION] : [warning]));

    const [needed, undisturbed] = [
      await shrinkFinding(TRIAL, WANTED, steady(milder)),
      await shrinkFinding(TRIAL, WANTED, steady(always)),
    ];

    expect(needed.at(-1)?.violation).toBe(VIOLATION);
    expect(undisturbed.at(-1)).toMatchObject({ violation: warning, trial: { schedule: EMPTY_SCHEDULE } });
  });

  it('has no result when the trial does not fail to begin with', async () => {
    const attempt = attempting(() => [violation({ property: 'another' })]);

    expect(await shrinkFinding(TRIAL, WANTED, steady(attempt))).toEqual([]);
  });

  it('tries a form no more often than there is time for, where runs differ', async () => {
    let made = 0;
    const seldom = attempting(() => (made++ === 0 ? [VIOLATION] : []));
    const options = { ...steady(seldom), proof: REAL_MODE.proof };

    expect(await shrinkFinding(TRIAL, WANTED, { ...options, outOfTime: () => made >= 3 })).toEqual([]);
    expect(made).toBe(3);
    expect(await shrinkFinding(TRIAL, WANTED, { ...options, outOfTime: () => true })).toEqual([]);
    expect(made).toBe(3);
  });

  it('keeps the smallest so far when time is up', async () => {
    const options = { ...steady(needsFault), outOfTime: () => true };

    const results = await shrinkFinding(TRIAL, WANTED, options);

    expect(results).toMatchObject([{ trial: TRIAL, executions: 1 }]);
  });

  it('keeps to its budget of runs', async () => {
    const preemptions = Array.from({ length: 400 }, (_, n): Preemption => ({ before: `x#${n}`, run: 'writer-1' }));
    const trial = { ...TRIAL, schedule: { ...SCHEDULE, preemptions } };
    const all = attempting(({ schedule }) => (schedule.preemptions.length === 400 ? [VIOLATION] : []));

    const results = await shrinkFinding(trial, WANTED, steady(all));

    expect(results.at(-1)?.executions).toBe(160);
  });
});

describe('shrinking where runs differ', () => {
  it('does not take what fails now and then for what fails', async () => {
    let runs = 0;
    // With its fault, the trial always fails; without the fault, it fails in every second run.
    const attempt = attempting(({ schedule }) => (schedule.faults.length > 0 || runs++ % 2 === 0 ? [VIOLATION] : []));

    const results = await shrinkFinding(TRIAL, WANTED, { ...steady(attempt), proof: REAL_MODE.proof });

    expect(results.at(-1)?.trial.schedule).toEqual({ ...EMPTY_SCHEDULE, faults: [FAULT] });
  });

  it('tries again what failed only now and then to begin with', async () => {
    let runs = 0;
    const attempt = attempting(() => (runs++ % 3 === 0 ? [] : [VIOLATION]));

    const results = await shrinkFinding(TRIAL, WANTED, { ...steady(attempt), proof: REAL_MODE.proof });

    expect(results.at(-1)?.trial.schedule).toEqual(EMPTY_SCHEDULE);
  });

  it('gives up what hardly ever fails', async () => {
    let runs = 0;
    const attempt = attempting(() => (runs++ % 10 === 0 ? [VIOLATION] : []));

    expect(await shrinkFinding(TRIAL, WANTED, { ...steady(attempt), proof: REAL_MODE.proof })).toEqual([]);
  });
});

it('leaves out at once what never came about', async () => {
  const missed = SCHEDULE.holds.map(({ stream }) => stream);
  const sizes: number[] = [];
  const attempt: Attempt = ({ schedule }) => {
    sizes.push(schedule.holds.length);
    const violations = schedule.faults.length > 0 ? [VIOLATION] : [];
    return Promise.resolve([{ history: { ...emptyHistory('none'), missed }, violations, inconclusive: new Map() }]);
  };

  await shrinkFinding(TRIAL, WANTED, steady(attempt));

  expect(sizes.slice(0, 2)).toEqual([SCHEDULE.holds.length, 0]);
});

it('shortens a hold to the write after which it no longer matters, unless it is to stay', async () => {
  const built = historyBuilder().phase('contention');
  built.create('controller', 'things', manifest('Thing', 'a'));
  const history = built.phase('heal').build();
  const fails: Attempt = ({ schedule }) =>
    Promise.resolve([
      { history, violations: schedule.holds.length > 0 ? [VIOLATION] : [], inconclusive: new Map<string, string>() },
    ]);
  const until = async (keepHolds: boolean): Promise<string | undefined> => {
    const accepted = await shrinkFinding(TRIAL, WANTED, { ...steady(fails), keepHolds });
    return accepted.at(-1)?.trial.schedule.holds[0]?.until;
  };

  expect(await until(true)).toBe('heal');
  expect(await until(false)).toBe('controller/create/things/default/a#0!sent');
});

describe('reproducing', () => {
  it('counts the runs that fail alike, and never rounds up', async () => {
    let n = 0;
    const flaky = attempting(() => (n++ % 2 === 0 ? [VIOLATION] : []));

    expect(await reproduce(shrunk, WANTED, flaky, 5)).toEqual({ k: 3, n: 5, identical: true, other: undefined });
  });

  it('does not count a milder form of the finding', async () => {
    let made = 0;
    const milder = attempting(() => [made++ === 0 ? VIOLATION : { ...VIOLATION, severity: 'warning' }]);

    expect(await reproduce(shrunk, WANTED, milder, 5)).toMatchObject({ k: 1 });
  });

  /**
   * Returns an attempt that makes its runs one by one. The run with this number shows the violation; every run does if no number is given.
   */
  function oneByOne(failing?: number): Attempt {
    let n = 0;
    const run = attempting(() => (failing === undefined || n++ === failing ? [VIOLATION] : []));
    return async (trial, property, times, enough = () => false) => {
      const made: Judged[] = [];
      while (made.length < times && !enough(made)) made.push(...(await run(trial, property, 1)));
      return made;
    };
  }

  it('begins no further run once it has come back and there is no time', async () => {
    const flaky = oneByOne(1);

    expect(await reproduce(shrunk, WANTED, flaky, 10, () => true)).toMatchObject({ k: 1, n: 2 });
    expect(await reproduce(shrunk, WANTED, flaky, 10, () => true)).toMatchObject({ k: 0, n: 4 });
  });

  it('counts what it had time for, once at least', async () => {
    let looks = 0;

    expect(await reproduce(shrunk, WANTED, oneByOne(), 10, () => ++looks > 5)).toMatchObject({ k: 5, n: 5 });
    expect(await reproduce(shrunk, WANTED, oneByOne(), 10, () => true)).toMatchObject({ k: 1, n: 1 });
  });

  it('asks for all runs at once, so that none of several lanes waits', async () => {
    const asked: number[] = [];
    const run = oneByOne();
    const counted: Attempt = (...args) => {
      asked.push(args[2]);
      return run(...args);
    };

    expect(await reproduce(shrunk, WANTED, counted, 10)).toMatchObject({ k: 10, n: 10 });
    expect(asked).toEqual([10]);
  });

  it('tells of a history that differs', async () => {
    const other = emptyHistory('something else');
    const judged = { history: other, violations: [VIOLATION], inconclusive: new Map<string, string>() };
    const attempt: Attempt = (_trial, _property, times) => Promise.resolve(Array.from({ length: times }, () => judged));

    expect(await reproduce(shrunk, WANTED, attempt, 2)).toEqual({ k: 2, n: 2, identical: false, other });
  });
});

describe('counterfactuals', () => {
  it('say for each deviation what the run does without it', async () => {
    const attempt = attempting(({ schedule }) => {
      if (schedule.faults.length === 0) return [];
      return schedule.holds.length === 0 ? [violation({ class: 'other' })] : [VIOLATION];
    });

    const { counterfactuals: found } = await counterfactuals(shrunk, WANTED, attempt, 1);

    expect(found.map(({ without }) => without)).toEqual(['still fails', 'other', 'passes']);
  });

  it('say that it passes only when it does so each time', async () => {
    let runs = 0;
    const attempt = attempting(({ schedule }) => (schedule.faults.length > 0 || runs++ === 2 ? [VIOLATION] : []));

    const { counterfactuals: found } = await counterfactuals(
      { ...shrunk, trial: { ...TRIAL, schedule: { ...EMPTY_SCHEDULE, faults: [FAULT] } } },
      WANTED,
      attempt,
      3,
    );

    expect(found.map(({ without }) => without)).toEqual(['still fails']);
  });

  it('spell each deviation as reports look it up', async () => {
    const { counterfactuals: found } = await counterfactuals(shrunk, WANTED, needsFault, 1);

    expect(found.map(({ deviation }) => deviation)).toEqual([PREEMPTION, HOLD, FAULT].map(deviationText));
  });
});

describe('the grade of a finding', () => {
  const quiet = emptyHistory('none');
  const mark = { at: 1, timeMs: 40_000 };

  it('is everyday without a restart or long lag, else says what it takes', () => {
    const lagging = {
      ...quiet,
      deliveries: [
        {
          ...mark,
          actor: 'controller',
          stream: HOLD.stream,
          k: 0,
          type: 'ADDED' as const,
          resource: 'things',
          revision: 1,
          available: { at: 0, timeMs: 1_000 },
        },
      ],
    };

    expect(gradeOf({ ...SCHEDULE, faults: [] }, quiet)).toBe('everyday');
    expect(gradeOf(SCHEDULE, quiet)).toBe('restart-or-HA');
    expect(gradeOf(SCHEDULE, lagging)).toBe('pathological');
  });
});
