import { expect, it } from 'vitest';
import { historyBuilder, manifest } from '../../oracle/test-history.ts';
import { Reasons } from './reasons.ts';

const PASSWORD = 'correct-horse-7-battery';

it('says why nothing can be said without the secrets of the run, and each reason in the same words', () => {
  const built = historyBuilder();
  built.create('user', 'secrets', manifest('Secret', 'a', { stringData: { password: PASSWORD } }));
  const judged = (history = built.build()): Parameters<Reasons['of']>[0] => ({
    history,
    violations: [],
    inconclusive: new Map([['convergence', `never started: login with ${PASSWORD} failed`]]),
  });
  const reasons = new Reasons();
  const told = new Map([['convergence', 'never started: login with redacted failed']]);

  expect(reasons.of(judged()).inconclusive).toEqual(told);
  // In another run, the harness may not know that the text is a secret.
  expect(reasons.of(judged(historyBuilder().build())).inconclusive).toEqual(told);
});
