/** Owner references that the garbage collector removes because the owner no longer exists belong to the actor that added them. */
import { expect, it } from 'vitest';
import type { ActorId } from '../harness/model/actor.ts';
import type { History } from '../harness/model/history.ts';
import { historyBuilder, manifest } from '../harness/oracle/test-history.ts';
import { noLostUpdate } from './no-lost-update.ts';

const RESOURCE = 'configmaps';
const OWN = ['apiVersion', 'kind', 'name', 'uid'].map((leaf) => `metadata.ownerReferences[uid=*].${leaf}`);
const REFERENCE = { ownedLeaves: { [`${RESOURCE}:web`]: OWN } };

const owner = (uid: string) => ({ apiVersion: 'example.com/v1', kind: 'Widget', name: uid, uid });

/**
 * Returns a history: `by` adds a reference, the garbage collector removes it because its owner is gone, and the target sees the
 * removal and adds the reference again.
 */
function putBack(by: ActorId): History {
  const h = historyBuilder();
  h.create('controller', RESOURCE, manifest('ConfigMap', 'web', {}, { ownerReferences: [owner('keeps')] }));
  h.phase('contention');
  h.append(by, RESOURCE, 'web', ['metadata', 'ownerReferences'], owner('gone'));
  h.get('controller', RESOURCE, 'web');
  h.patch('gc', RESOURCE, 'web', { metadata: { ownerReferences: [owner('keeps')] } });
  const seen = h.get('controller', RESOURCE, 'web');
  const ownerReferences = [owner('keeps'), owner('gone')];
  h.update('controller', RESOURCE, { ...seen, metadata: { ...seen.metadata, ownerReferences } });
  return h.build({ reference: REFERENCE });
}

it('may be put back by a target that had put them there and does not know of the deletion', () => {
  expect(noLostUpdate.check(putBack('controller'))).toEqual({ result: 'holds' });
});

it('are not for the target to put back where somebody else had put them there', () => {
  expect(noLostUpdate.check(putBack('writer-1'))).toMatchObject({
    result: 'inconclusive',
    needs: [{ probe: 'drift' }],
  });
});

it.each([
  [true, { result: 'holds' }],
  [false, { result: 'violated' }],
])('may be replaced by the target when their owner is gone (%s)', (isGone, result) => {
  const h = historyBuilder();
  h.create('user', 'widgets.example.com', manifest('Widget', 'one'));
  const { uid = '' } = h.get('user', 'widgets.example.com', 'one').metadata;
  h.phase('contention');
  h.create('writer-1', RESOURCE, manifest('ConfigMap', 'web', {}, { ownerReferences: [owner(uid)] }));
  if (isGone) h.delete('user', 'widgets.example.com', 'one');
  const seen = h.get('controller', RESOURCE, 'web');
  const ownerReferences = [owner('new')];
  h.update('controller', RESOURCE, { ...seen, metadata: { ...seen.metadata, ownerReferences } });

  expect(noLostUpdate.check(h.build({ reference: REFERENCE }))).toMatchObject(result);
});

it.each([
  ['its own, which a client that made the object again only repeats', 'keeps', { result: 'holds' }],
  ['one that the client that made the object again has added', 'added', { result: 'violated' }],
])('may be removed by the target if they are %s', (_, uid, result) => {
  const h = historyBuilder();
  h.create('controller', RESOURCE, manifest('ConfigMap', 'web', {}, { ownerReferences: [owner('keeps')] }));
  h.phase('contention');
  h.delete('writer-1', RESOURCE, 'web');
  const both = [owner('keeps'), owner('added')];
  h.create('writer-1', RESOURCE, manifest('ConfigMap', 'web', {}, { ownerReferences: both }));
  const seen = h.get('controller', RESOURCE, 'web');
  const ownerReferences = both.filter((one) => one.uid !== uid);
  h.update('controller', RESOURCE, { ...seen, metadata: { ...seen.metadata, ownerReferences } });

  expect(noLostUpdate.check(h.build({ reference: REFERENCE }))).toMatchObject(result);
});
