/** What a target does after minutes of rest: bugs that show only then are found, and changes caused by time alone are not reported. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { renderStory, run, tellStory } from '../index.ts';

const file = (name: string): string => fileURLToPath(new URL(`targets/${name}`, import.meta.url));

async function campaign(target: string): ReturnType<typeof run> {
  return run({
    target: file(target),
    crds: [file('crd.yaml')],
    samples: [file('sample.yaml')],
    budget: 300,
    seed: 1,
  });
}

it('finds a poll that writes an old copy', { timeout: 120_000 }, async () => {
  const { findings } = await campaign('writes-an-old-copy.ts');

  const [finding] = findings;
  expect(new Set(findings.map(({ violation }) => violation.signature.property))).toEqual(new Set(['no-lost-update']));
  if (finding === undefined) return;
  const waits = finding.counterexample.workload.programs.flatMap(({ ops }) => ops.map(({ afterMs }) => afterMs));
  expect(waits.filter((ms) => ms !== undefined)).toHaveLength(1);
  expect(renderStory(tellStory(finding), { width: 100, color: false, replay: '' })).toMatch(/\d+ (s|min) later\n/);
});

it.for(['notes-the-time.ts', 'expires.ts'])(
  'accuses nobody of what time alone changes: %s',
  { timeout: 120_000 },
  async (target) => {
    const { findings, inconclusive } = await campaign(target);

    expect(findings.map(({ violation }) => violation.sentence)).toEqual([]);
    expect(inconclusive.count).toBe(0);
  },
);
