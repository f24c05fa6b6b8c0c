import { describe, expect, it } from 'vitest';
import { judge } from '../harness/oracle/compose.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder, manifest } from '../harness/oracle/test-history.ts';
import { always, eventually, neverReached, sometimes, tallySometimes } from './predicates.ts';
import type { ObjectsOf } from './predicates.ts';

const pods = (count: number): HistoryBuilder => {
  const h = historyBuilder();
  for (let n = 0; n < count; n++) h.create('controller', 'pods', manifest('Pod', `p${n}`));
  return h;
};
const atMostOne = (objects: ObjectsOf): boolean | string =>
  objects('Pod').length <= 1 || `${objects('Pod').length} pods where one is enough`;

describe('always', () => {
  const property = always('one-pod', 'there is at most one pod', atMostOne);

  it('accepts a history in which it is true after every change', () => {
    const h = pods(1);
    h.delete('user', 'pods', 'p0');
    h.create('controller', 'pods', manifest('Pod', 'p1'));

    expect(property.check(h.build())).toEqual({ result: 'holds' });
  });

  it('convicts the first change after which it is not, also when that heals', () => {
    const h = pods(2);
    h.delete('controller', 'pods', 'p1');

    expect(property.check(h.build())).toMatchObject({
      violations: [
        {
          signature: { property: 'one-pod', class: 'always', actors: ['target'], kind: 'pods' },
          sentence: "2 pods where one is enough after controller's change of pods/p1 (version 102)",
          operations: [1],
          revisions: [102],
        },
      ],
    });
  });

  it('is inconclusive when the predicate throws', () => {
    const broken = always('broken', 'x', () => {
      throw new TypeError('no such field');
    });

    expect(judge(pods(1).build(), [broken])[0]?.result).toEqual({
      result: 'inconclusive',
      reason: 'the check threw: no such field',
    });
  });
});

describe('eventually', () => {
  const property = eventually('one-pod', 'one pod is left', (objects) => objects('Pod').length === 1);

  it('judges the state at rest only', () => {
    const h = pods(2);
    expect(property.check(h.build())).toMatchObject({
      violations: [{ sentence: 'it is not true that one pod is left at rest' }],
    });
    h.delete('controller', 'pods', 'p0');
    expect(property.check(h.build()).result).toBe('holds');
  });

  it('has no opinion on a run that never came to rest', () => {
    expect(property.check(pods(1).build({ settlement: { result: 'steps-exceeded', steps: 9 } })).result).toBe(
      'inconclusive',
    );
  });
});

describe('sometimes', () => {
  it('is told after a campaign, not after a run', () => {
    const many = sometimes('many', 'there are three pods at once', (objects) => objects('Pod').length === 3);
    const counts = {};

    tallySometimes(counts, [many], pods(1).build());
    expect(many.check(pods(1).build()).result).toBe('holds');
    expect(neverReached(counts, [many])).toEqual([many]);

    tallySometimes(counts, [many], pods(4).build());
    tallySometimes(counts, [many], pods(1).build());
    expect(neverReached(counts, [many])).toEqual([]);
  });
});
