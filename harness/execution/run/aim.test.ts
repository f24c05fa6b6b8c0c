import { expect, it } from 'vitest';
import { testServer } from 'stalemate-apiserver/testing';
import { historyBuilder, manifest, REFERENCE } from '../../oracle/test-history.ts';
import type { Workload } from '../../model/workload.ts';
import { aimOf } from './aim.ts';
import type { TrialRunner } from './runner.ts';

const runner = { host: { cluster: testServer().server } } as unknown as TrialRunner;
const base: Workload = { version: 1, start: 'settled', sample: [], programs: [] };

it('takes what was installed before the run for written by the target, not for made by it', () => {
  const h = historyBuilder();
  h.create('user', 'secrets', { ...manifest('Secret', 'installed'), apiVersion: 'v1' });
  h.edit('controller', 'secrets', 'installed', ['data', 'key'], 'dg==');
  h.create('controller', 'secrets', { ...manifest('Secret', 'made'), apiVersion: 'v1' });
  const history = h.build();
  const revisions = history.revisions.filter(({ actor }) => actor !== 'user');

  const { objects } = aimOf(runner, { ...history, revisions }, REFERENCE, base, [], []);

  expect(Object.fromEntries(objects.map(({ target, relation }) => [target.name, relation]))).toEqual({
    installed: 'written',
    made: 'created-by-target',
  });
});
