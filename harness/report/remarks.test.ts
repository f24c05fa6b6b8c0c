import { expect, it } from 'vitest';
import type { Remark } from '../model/finding.ts';
import { runPage } from './html/run/run-page.ts';
import { renderJsonLines } from './run/json-lines.ts';
import { renderMarkdown } from './run/markdown.ts';
import { RESULT, runOf } from './run/test-run.ts';
import { mergeSoak } from './soak/merge.ts';
import { batchResult, entry, finding, head } from './soak/test-lines.ts';
import { summarise, summarySchema } from './summary.ts';
import { renderSummary } from './summary-text.ts';

const SENTENCE = 'controller repeats a failing request and the pauses do not grow: 7 times get of secrets/token';

function remark(field: string, count: number, sentence = SENTENCE): Remark {
  const signature = { property: 'bounded-rate', class: 'no-back-off', actors: ['target'], kind: 'secrets', field };
  return { signature, sentence, count };
}

it('is a short line in the terminal, on the page, in the job summary and in both JSON forms, and fails nothing', () => {
  const remarks = [remark('', 12)];
  const summary = summarise({ ...RESULT, remarks }, () => undefined);
  const run = runOf({ remarks });
  const told = `bounded-rate: ${SENTENCE} (12 runs)`;

  expect(renderSummary(summary, { color: false })).toMatch(/^all properties hold\n/);
  expect(renderSummary(summary, { color: false })).toContain(`\nwarnings, which fail no run:\n  – ${told}\n`);
  expect(summarySchema.parse(summary).remarks).toMatchObject([{ resource: 'secrets', sentence: SENTENCE, count: 12 }]);
  expect(runPage(run, (path) => path)).toContain(`<li>${told}</li>`);
  expect(renderMarkdown(run)).toContain('controller repeats a failing request');
  expect(JSON.parse(renderJsonLines(run).split('\n')[1] ?? '')).toMatchObject({ remarks: [{ count: 12 }] });
});

it('is told five times at most, and nothing is said where there is none', () => {
  const remarks = Array.from({ length: 8 }, (_, place) => remark(`f${place}`, 8 - place));
  const text = renderSummary(
    summarise({ ...RESULT, remarks }, () => undefined),
    { color: false },
  );
  const without = renderSummary(
    summarise(RESULT, () => undefined),
    { color: false },
  );

  expect(text.match(/ {2}– bounded-rate/g)).toHaveLength(5);
  expect(text).toContain('  – and 3 more, in the JSON summary\n');
  expect(without + runPage(runOf({}), (path) => path)).not.toContain('warned of');
});

it('is added up over the batches of a soak in any order, and is none where another batch has found it', () => {
  const found = finding('spec.replicas');
  const lines = [
    head('1/1'),
    entry('1/1', { line: 'finding', batch: 0, record: found }),
    ...[
      [remark('a', 2, 'b'), { ...remark('', 9), signature: found.violation.signature }],
      [remark('a', 3, 'a')],
      undefined,
    ]
      .map((remarks) => batchResult(remarks === undefined ? {} : { remarks }))
      .map((result, batch) => entry('1/1', { line: 'batch', batch, result })),
  ];

  for (const order of [lines, lines.toReversed()])
    expect(mergeSoak(order, { allShards: true })[0]?.result.remarks).toEqual([remark('a', 5, 'a')]);
});
