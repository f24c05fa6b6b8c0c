import { expect, test } from 'vitest';
import { ownPauseMs } from './pace.ts';
import { historyBuilder, manifest } from './test-history.ts';

test('takes the longest time before a write of its own for its pause, and some more', () => {
  const history = historyBuilder();
  history.phase('contention');
  history.create('user', 'widgets.example.com', manifest('Widget', 'a'));
  history.deliver('controller', 'widgets.example.com');
  history.pass(800);
  history.create('controller', 'configmaps', manifest('ConfigMap', 'a-1'));
  history.pass(200);
  history.create('controller', 'configmaps', manifest('ConfigMap', 'a-2'));
  history.pass(5_000);
  history.get('controller', 'configmaps', 'a-2');

  expect(ownPauseMs([history.build()])).toBe(1_200);
});

test('gives a target that looks again and again the time to look once more', () => {
  const history = historyBuilder();
  history.phase('contention');
  history.list('controller', 'configmaps');
  history.pass(3_000);
  history.list('controller', 'configmaps');
  history.pass(100);
  history.create('controller', 'configmaps', manifest('ConfigMap', 'a'));
  for (let n = 0; n < 4; n++) {
    history.list('controller', 'widgets.example.com');
    history.pass(100);
    history.list('controller', 'configmaps');
    history.pass(300);
  }

  expect(ownPauseMs([history.build()])).toBe(600);
});

test('expects no pause of a target that does nothing, and a bounded one of a slow one', () => {
  const idle = historyBuilder();
  idle.phase('contention');
  const slow = historyBuilder();
  slow.phase('contention');
  slow.list('controller', 'configmaps');
  slow.pass(60_000);
  slow.create('controller', 'configmaps', manifest('ConfigMap', 'a'));

  expect(ownPauseMs([idle.build()])).toBe(0);
  expect(ownPauseMs([idle.build(), slow.build()])).toBe(4_000);
});

test('does not wait for records of what happened, or locks', () => {
  const history = historyBuilder();
  history.phase('contention');
  history.list('controller', 'configmaps');
  history.pass(2_000);
  history.create('controller', 'leases.coordination.k8s.io', manifest('Lease', 'lock'));
  history.create('controller', 'events', manifest('Event', 'a'));

  expect(ownPauseMs([history.build()])).toBe(0);
});
