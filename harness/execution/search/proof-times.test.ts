import { expect, it } from 'vitest';
import { MODULE_MODE, REAL_MODE } from '../run/run-mode.ts';
import { proofTimes, type ProofTimes, type ProofTimesOptions } from './proof-times.ts';

const NEVER = Number.POSITIVE_INFINITY;
const module = MODULE_MODE.proof;
const program = REAL_MODE.proof;

it.each<[string, Partial<ProofTimesOptions>, ProofTimes]>([
  [
    'a program without a budget shrinks and reproduces for as long as is usual',
    {},
    { shrinkUntil: 91_000, shrinkCutAt: NEVER, reproduceMs: 120_000, endsAt: NEVER },
  ],
  [
    'a module is never cut short while it reproduces',
    { proof: module },
    { shrinkUntil: 11_000, shrinkCutAt: NEVER, reproduceMs: NEVER, endsAt: NEVER },
  ],
  [
    'a search that continues leaves a third of its time for shrinking',
    { searchUntil: 121_000 },
    { shrinkUntil: 41_000, shrinkCutAt: NEVER, reproduceMs: 120_000, endsAt: NEVER },
  ],
  [
    'half of a share of the budget is for shrinking, however long it may take',
    { allProvedBy: 81_000, pending: 4 },
    { shrinkUntil: 11_000, shrinkCutAt: 11_000, reproduceMs: 120_000, endsAt: 21_000 },
  ],
  [
    'a share that is too short for one form is for reproducing only',
    { allProvedBy: 6_000, usualMs: 1_000 },
    { shrinkUntil: 1_000, shrinkCutAt: 1_000, reproduceMs: 120_000, endsAt: 6_000 },
  ],
  [
    'a module shrinks also in a short share',
    { proof: module, allProvedBy: 6_000, usualMs: 1_000 },
    { shrinkUntil: 3_500, shrinkCutAt: 3_500, reproduceMs: NEVER, endsAt: 6_000 },
  ],
  [
    'a budget that is over leaves no time',
    { allProvedBy: 0 },
    { shrinkUntil: 1_000, shrinkCutAt: 1_000, reproduceMs: 120_000, endsAt: 1_000 },
  ],
  [
    'an explicit limit holds for shrinking and for reproducing a program',
    { limitMs: 200, searchUntil: 121_000 },
    { shrinkUntil: 1_200, shrinkCutAt: NEVER, reproduceMs: 200, endsAt: NEVER },
  ],
  [
    'an explicit limit holds for shrinking a module only',
    { proof: module, limitMs: 200 },
    { shrinkUntil: 1_200, shrinkCutAt: NEVER, reproduceMs: NEVER, endsAt: NEVER },
  ],
])('%s', (_, options, expected) => {
  const usual = { began: 1_000, usualMs: 500, limitMs: null, searchUntil: undefined, allProvedBy: NEVER, pending: 1 };

  expect(proofTimes({ proof: program, ...usual, ...options })).toEqual(expected);
});
