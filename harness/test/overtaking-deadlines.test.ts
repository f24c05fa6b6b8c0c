/** A deadline of a program that passes before an event in flight arrives: found, shrunk, printed and replayed. In virtual time only. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { processWrapper } from '../actors/process/process-wrapper.ts';
import { openNamespace } from '../actors/process/namespace.ts';
import { FAULT_KINDS } from '../model/fault-kinds.ts';
import { decodeCounterexample, encodeCounterexample, renderStory, replay, run, tellStory } from '../index.ts';
import type { StalemateOptions } from '../index.ts';

const network = await openNamespace();
const wrapper = 'refused' in network ? processWrapper('own') : processWrapper('own', network);
const canSteer = wrapper.unsteered === null;

const file = (name: string): string => fileURLToPath(new URL(`targets/${name}`, import.meta.url));

function options(kind: string, budget: number): StalemateOptions {
  return {
    command: [process.execPath, file('expects-for-a-while.mjs')],
    crds: [file('crd.yaml')],
    samples: [file('sample.yaml')],
    faults: Object.fromEntries(FAULT_KINDS.map((other) => [other, other === kind])),
    budget,
    seed: 1,
    stopAfter: 1,
  };
}

describe.runIf(canSteer)('an expectation that ends before what it expects comes', { timeout: 240_000 }, () => {
  it('is found where something may be late', async () => {
    const { findings } = await run(options('delay', 100), { shrinkMs: 30_000 });
    const [finding] = findings;
    if (finding === undefined) throw new Error('the planted bug was not found');

    const { violation, counterexample, stats } = finding;
    expect(violation.signature.property).toBe('cardinality');
    expect(counterexample.schedule).toMatchObject({ preemptions: [], holds: [] });
    const [late] = counterexample.schedule.faults;
    expect(counterexample.schedule.faults).toHaveLength(1);
    expect(late).toMatchObject({
      do: 'delay',
      at: expect.stringMatching(/^controller\/watch\/configmaps\/default#\d/),
    });
    expect(stats.grade).toBe('pathological');
    const story = renderStory(tellStory(finding), { width: 200, color: false, replay: '' });
    expect(story).toMatch(/fault 1 of 1: \d+ s late: controller\/watch\/configmaps\/default#/);
    expect(story).toMatch(/\n +30\d s later\n/);
    const stored = decodeCounterexample(encodeCounterexample(counterexample), 'the test');
    expect((await replay(stored, { times: 3 })).reproduced).toEqual({ k: 3, n: 3 });
  });

  it('is not found where nothing is', async () => {
    const { findings } = await run(options('close-watch', 30));

    expect(findings.map(({ violation }) => violation.sentence)).toEqual([]);
  });
});
