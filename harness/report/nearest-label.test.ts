import { expect, it } from 'vitest';
import type { History } from '../model/history.ts';
import { nearestLabels } from './nearest-label.ts';
import { lostUpdate } from './test-findings.ts';

const { record } = lostUpdate();
const [operation] = record.operations;

/** Returns a history with requests of these labels. */
function withRequests(...labels: readonly string[]): History {
  if (operation === undefined) throw new Error('the finding has operations');
  return { ...record, deliveries: [], operations: labels.map((label) => ({ ...operation, label })) };
}

const UPDATE = 'controller/update/deployments.apps/default/web#0';

it('prefers the same kind of request under another name', () => {
  const history = withRequests(
    'controller/patch/deployments.apps/default/web-app#0',
    'controller/update/deployments.apps/default/web-server-of-many-letters#0',
    'controller/update/services/default/web#0',
  );

  expect(nearestLabels([`${UPDATE}!sent`], history).get(`${UPDATE}!sent`)).toBe(
    'controller/update/deployments.apps/default/web-server-of-many-letters#0!sent',
  );
});

it('takes another occurrence, another life, or else another verb', () => {
  const nearest = (...labels: readonly string[]): string | undefined =>
    nearestLabels([`${UPDATE}!answered`], withRequests(...labels)).get(`${UPDATE}!answered`);

  expect(
    nearest('controller/update/deployments.apps/default/web#3', 'controller/get/deployments.apps/default/web#0'),
  ).toBe('controller/update/deployments.apps/default/web#3!answered');
  expect(nearest('controller~2/patch/deployments.apps/default/web#0')).toBe(
    'controller~2/patch/deployments.apps/default/web#0!answered',
  );
});

it('finds nothing in what others did, or in what came before contention', () => {
  const history = withRequests('writer-1/update/deployments.apps/default/web#0', `${UPDATE}!setup`);

  expect(nearestLabels([`${UPDATE}!sent`, 'controller/watch/pods/default#0/a@1'], history).size).toBe(0);
});
