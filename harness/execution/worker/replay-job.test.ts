/** Tests which results of a replayed trial count as the stored finding. */
import { expect, it } from 'vitest';
import { signatureText } from '../../model/signature.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { takeReferences } from '../run/references.ts';
import { property, violation } from '../run/test-verdicts.ts';
import { label, runnerOf, setReady, thinTarget, workload } from '../run/testing.ts';
import { replayOn } from './replay-job.ts';

const differs = property(() => ({ result: 'violated', violations: [violation()] }));
const disturbed = workload([{ actor: 'user', writer: 'user', ops: [label('x')] }]);

it.each([
  ['an error still', disturbed, 2],
  ['a warning by now, as nothing disturbs it', workload(), 0],
])('counts a stored finding that is %s', async (_, trialled, k) => {
  const runner = runnerOf(thinTarget(setReady));
  const base = workload();
  const references = await takeReferences(runner, base, []);
  const properties = [{ ...differs, comparesRuns: true } as const];
  const stored = {
    trial: { workload: trialled, schedule: EMPTY_SCHEDULE },
    signature: signatureText(violation().signature),
    property: differs.name,
  };

  const { k: failed, n } = await replayOn({ runner, base, references, properties }, stored, 2);

  expect({ k: failed, n }).toEqual({ k, n: 2 });
});
