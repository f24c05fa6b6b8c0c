import { describe, expect, it } from 'vitest';
import type { CheckResult, Violation } from '../model/check-result.ts';
import { HOLDS } from '../model/check-result.ts';
import { judge } from './compose.ts';
import type { Property } from './property.ts';
import { historyBuilder, manifest } from './test-history.ts';

function property(name: string, check: () => CheckResult): Property {
  return { name, kind: 'safety', about: name, check };
}

function violation(field: string, at: number, severity: Violation['severity'] = 'error'): Violation {
  const signature = { property: 'p', class: 'c', actors: ['target'], kind: 'pods', field };
  return { signature, sentence: `${field} at ${at}`, operations: [], revisions: [], at, severity };
}

describe('judge', () => {
  it('calls a check that throws inconclusive and asks the others', () => {
    const broken = property('broken', () => {
      throw new Error('boom');
    });
    const sound = property('sound', () => HOLDS);

    expect(judge(historyBuilder().build(), [broken, sound])).toEqual([
      { property: broken, result: { result: 'inconclusive', reason: 'the check threw: boom' } },
      { property: sound, result: HOLDS },
    ]);
  });

  it.each([
    [
      { result: 'violated', violations: [{ ...violation('a', 1), signature: { property: 'p' } }] },
      'signature.class is missing, expected a string ("" for none)',
    ],
    [{ result: 'violated', violations: [{ ...violation('a', 1), operations: 7 }] }, 'operations is 7, expected a list'],
    [{ result: 'violated' }, 'it answered "violated" with violations missing, expected a list of at least one'],
    [undefined, 'it answered nothing, expected { result: "holds" }'],
  ])('passes over no answer that lacks what files and pages need (%#)', (answer, reason) => {
    const [judgement] = judge(historyBuilder().build(), [property('p', () => answer as unknown as CheckResult)]);

    expect(judgement?.result.result).toBe(answer === undefined ? 'inconclusive' : 'violated');
    expect(JSON.stringify(judgement?.result)).toContain(JSON.stringify(reason).slice(1, -1));
  });

  it('names objects by kind and name, where a sentence has their uid', () => {
    const h = historyBuilder();
    const { uid = '' } = h.create('user', 'widgets.example.com', manifest('Widget', 'a')).metadata;
    const sentences = [
      `leaves pods/b with metadata.ownerReferences[uid=${uid}].name absent`,
      'leaves pods/b with metadata.ownerReferences[uid=gone].uid "3f2504e0-4f89-11d3-9a0c-0305e82c3301"',
      'leaves metadata.ownerReferences[uid=*].name and 1-2-3',
    ];
    const violations = sentences.map((sentence, at) => ({ ...violation(`f${at}`, at), sentence }));

    const [judgement] = judge(h.build(), [property('p', () => ({ result: 'violated', violations }))]);

    const { result } = judgement ?? {};
    expect(result?.result === 'violated' ? result.violations.map(({ sentence }) => sentence) : []).toEqual([
      'leaves pods/b with metadata.ownerReferences[Widget a].name absent',
      'leaves pods/b with metadata.ownerReferences[another object].uid "uid of another object"',
      'leaves metadata.ownerReferences[uid=*].name and 1-2-3',
    ]);
  });

  it('keeps the earliest violation of each signature, errors first', () => {
    const violations = [violation('c', 1, 'warning'), violation('b', 9), violation('a', 5), violation('b', 7)];

    const [judgement] = judge(historyBuilder().build(), [property('p', () => ({ result: 'violated', violations }))]);

    expect(judgement?.result).toEqual({
      result: 'violated',
      violations: [violation('a', 5), violation('b', 7), violation('c', 1, 'warning')],
    });
  });
});
