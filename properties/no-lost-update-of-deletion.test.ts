/** Finalizers that a deletion itself adds belong to the garbage collector. */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder, manifest } from '../harness/oracle/test-history.ts';
import { noLostUpdate } from './no-lost-update.ts';

const RESOURCE = 'widgets.example.com';
const REFERENCE = { ownedLeaves: {} };

/** Builds a history in which the target has read version 101 and a deletion has since added its finalizer. */
function deleted(finalizer: string): { readonly h: HistoryBuilder; readonly v101: KubeObject } {
  const h = historyBuilder();
  h.create('user', RESOURCE, manifest('Widget', 'web', { spec: { image: 'v1' } }));
  h.phase('contention');
  const v101 = h.get('controller', RESOURCE, 'web');
  h.append('writer-1', RESOURCE, 'web', ['metadata', 'finalizers'], finalizer);
  return { h, v101 };
}

describe.each(['foregroundDeletion', 'orphan'])('the finalizer %s', (finalizer) => {
  it('may be taken off by a patch under the version that has it', () => {
    const { h } = deleted(finalizer);
    const { resourceVersion } = h.get('controller', RESOURCE, 'web').metadata;
    h.patch('controller', RESOURCE, 'web', { metadata: { resourceVersion, finalizers: [] } });

    expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('holds');
  });

  it('is lost to a list of finalizers from before it', () => {
    const { h, v101 } = deleted(finalizer);
    h.patch('controller', RESOURCE, 'web', { metadata: { finalizers: v101.metadata.finalizers ?? [] } });

    expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('violated');
  });
});

it('may be removed by a PUT of a terminating object, though its content resembles an older version', () => {
  const h = historyBuilder();
  h.create('user', RESOURCE, manifest('Widget', 'web', { spec: { image: 'v1' } }, { finalizers: ['own/f'] }));
  h.phase('contention');
  h.get('controller', RESOURCE, 'web');
  h.append('writer-1', RESOURCE, 'web', ['metadata', 'finalizers'], 'foregroundDeletion');
  h.delete('user', RESOURCE, 'web');
  const fresh = h.get('controller', RESOURCE, 'web');
  h.update('controller', RESOURCE, { ...fresh, metadata: { ...fresh.metadata, finalizers: ['own/f'] } });

  expect(fresh.metadata.deletionTimestamp).toBeDefined();
  expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('holds');
});
