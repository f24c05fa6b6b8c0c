/** Causes merged over the lines of a soak, including lines from versions without causes. */
import { describe, expect, it } from 'vitest';
import type { Cause } from '../../model/cause.ts';
import { signatureText } from '../../model/signature.ts';
import type { SoakEntry, SoakRecord } from '../../model/soak.ts';
import { mergeSoak } from './merge.ts';
import { batchResult, entry, finding, head } from './test-lines.ts';

const CAUSE = { key: 'write | PUT | deployments.apps | stale', text: 'a PUT' };
const OLD_REPLICAS = finding('spec.replicas');
const OLD_LABELS = finding('metadata.labels');
const [REPLICAS, LABELS] = [OLD_REPLICAS, OLD_LABELS].map(({ violation: { signature } }) => signature);
if (REPLICAS === undefined || LABELS === undefined) throw new Error('two signatures');

function caused(record: SoakRecord): SoakRecord {
  return { ...record, violation: { ...record.violation, cause: CAUSE } };
}

function batch(
  batchNumber: number,
  record: SoakRecord,
  parts: Parameters<typeof batchResult>[0],
): readonly SoakEntry[] {
  return [
    entry('1/1', { line: 'finding', batch: batchNumber, record }, batchNumber),
    entry('1/1', { line: 'batch', batch: batchNumber, result: batchResult(parts) }, batchNumber),
  ];
}

const NEW = [
  ...batch(1, caused(OLD_REPLICAS), {
    counts: { [CAUSE.key]: 5 },
    symptoms: { [CAUSE.key]: [{ signature: REPLICAS, count: 5 }] },
  }),
  ...batch(2, caused(OLD_LABELS), {
    counts: { [CAUSE.key]: 3 },
    symptoms: {
      [CAUSE.key]: [
        { signature: LABELS, count: 3 },
        { signature: REPLICAS, count: 1 },
      ],
    },
  }),
];
/** Lines as written by versions without causes. */
const OLD = [
  ...batch(3, OLD_REPLICAS, { counts: { [signatureText(REPLICAS)]: 2 } }),
  ...batch(4, OLD_LABELS, { counts: { [signatureText(LABELS)]: 4, [signatureText(REPLICAS)]: 1 } }),
];

function findings(entries: readonly SoakEntry[]): readonly unknown[] {
  const [soak] = mergeSoak(entries, { allShards: false });
  return (soak?.result.findings ?? []).map(({ violation, stats }) => ({
    key: violation.cause?.key,
    count: stats.count,
    symptoms: stats.symptoms?.map(({ signature, count }) => [signature.field, count]),
  }));
}

describe('the findings of a soak', () => {
  it('are one for each cause, with the symptoms of all batches', () => {
    const merged = findings([head('1/1'), ...NEW]);

    expect(merged).toEqual([
      {
        key: CAUSE.key,
        count: 8,
        symptoms: [
          ['spec.replicas', 6],
          ['metadata.labels', 3],
        ],
      },
    ]);
    expect(findings([...NEW, head('1/1')].toReversed())).toEqual(merged);
  });

  it('are one for each signature where all lines are from before causes', () => {
    expect(findings([head('1/1'), ...OLD])).toEqual([
      { key: undefined, count: 4, symptoms: undefined },
      { key: undefined, count: 3, symptoms: undefined },
    ]);
  });

  it('take in older ones once later lines say what causes them', () => {
    const [one, ...more] = findings([head('1/1'), ...OLD, ...NEW]);

    expect(one).toMatchObject({ count: 15 });
    expect(more).toEqual([]);
  });

  it('keep the count of a cause that is called like a symptom of another one', () => {
    const loop = { key: 'loop | update widgets', text: 'hot loop: update widgets' };
    const own = { key: signatureText(LABELS), text: 'its own' };
    const by = (cause: Cause): SoakRecord => ({ ...OLD_LABELS, violation: { ...OLD_LABELS.violation, cause } });
    const merged = findings([
      head('1/1'),
      ...batch(1, by(loop), { counts: { [loop.key]: 8 } }),
      ...batch(2, by(own), { counts: { [own.key]: 2 } }),
    ]);

    expect(new Set(merged)).toEqual(
      new Set([
        { key: loop.key, count: 8, symptoms: undefined },
        { key: own.key, count: 2, symptoms: undefined },
      ]),
    );
  });
});
