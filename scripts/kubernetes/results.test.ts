import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { controllersNamed, FOLDER, optionsOf, readList } from './controllers.ts';
import { huntTable, sweepTable, type FoundHere, type Judgement, type Swept } from './results.ts';

const MEASURED = { measured: '2026-01-01', budget: '60s', seed: 1, seconds: 60, runs: 50 } as const;
const FOUND: FoundHere = {
  property: 'cardinality',
  kind: 'pods',
  field: '',
  sentence: 'one too many',
  preemptions: 0,
  holds: 2,
  faults: 1,
  reproduced: [10, 10],
};
const SWEPT: Swept = {
  controller: 'job-controller',
  release: 'v1.36.3',
  gates: 'on',
  ...MEASURED,
  outcome: 'violated',
  conflicts: 3,
  staleReads: 4,
  inconclusive: 0,
  findings: [FOUND],
};
const JUDGEMENT: Judgement = {
  controller: 'job-controller',
  property: 'cardinality',
  kind: 'pods',
  field: '',
  finding: 'a pod too many',
  judgement: 'true but harmless',
  because: 'it is deleted again',
};

describe('the list of controllers', () => {
  const list = readList();

  it('names a sample for each, and every sample is used', () => {
    const used = [...list.controllers.map(({ sample }) => sample), list.huntSample];

    expect(used.filter((sample) => !existsSync(join(FOLDER, 'samples', sample)))).toEqual([]);
    expect(readdirSync(join(FOLDER, 'samples')).filter((sample) => !used.includes(sample))).toEqual([]);
  });

  it('gives the manager one controller, and disables the gates only on request', () => {
    const [job] = controllersNamed(list, ['job']);
    const command = (gates: 'on' | 'off'): readonly string[] =>
      job === undefined ? [] : (optionsOf(list, job, { release: 'v1.36.3', gates }, 'kcm').command ?? []);

    expect(command('on')).toContain('--controllers=job-controller');
    expect(command('on').filter((word) => word.startsWith('--feature-gates'))).toEqual([]);
    expect(command('off').at(-1)).toMatch(/^--feature-gates=StaleControllerConsistency\w+=false,/);
  });
});

describe('the tables of the page', () => {
  it('show the judgement of a finding, and findings without one', () => {
    const other = { ...FOUND, property: 'convergence' };
    const controllers = controllersNamed(readList(), ['job']);

    const table = sweepTable(controllers, [{ ...SWEPT, findings: [FOUND, other] }], [JUDGEMENT]);

    expect(table).toContain(
      '| job-controller | v1.36.3 | 60 s | 50 | 3 | 4 | 0 | `cardinality` of pods: true but harmless; `convergence` of pods: not judged |',
    );
  });

  it('show where the known bug was found, and where it was not', () => {
    const hunted = { release: 'v1.36.3', gates: 'off', ...MEASURED } as const;
    const found = { ...FOUND, afterSeconds: 7, replayed: [19, 20] as const };

    expect(huntTable([{ ...hunted, found }])).toContain(
      '| v1.36.3 | off | yes | 7 s | 50 | 2 holds, 1 fault | 19 of 20 |',
    );
    expect(huntTable([hunted])).toContain('| v1.36.3 | off | no, in 60s |  | 50 |');
  });
});
