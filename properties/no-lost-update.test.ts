import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Violation } from '../harness/model/check-result.ts';
import { setAt } from '../harness/model/edit.ts';
import type { History } from '../harness/model/history.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { historyBuilder, manifest } from '../harness/oracle/test-history.ts';
import { noLostUpdate } from './no-lost-update.ts';
import { judge } from './test-no-lost-update.ts';

const RESOURCE = 'widgets.example.com';
const ROLE = `${RESOURCE}:web`;
/** The leaves that the target writes in undisturbed runs. */
const REFERENCE = {
  ownedLeaves: {
    [ROLE]: ['spec.image', 'status.phase', 'status.conditions[type=Ready].status', 'metadata.finalizers["own/f"]'],
  },
} as const;

function widget(content: Partial<KubeObject> = {}, metadata: KubeObject['metadata'] = {}): KubeObject {
  return manifest(
    'Widget',
    'web',
    { spec: { image: 'v1', replicas: 3 }, status: { phase: 'New' }, ...content },
    metadata,
  );
}

/** Builds a history in which version 101 exists and the target has read it. */
function started(object: KubeObject = widget()): { h: HistoryBuilder; v101: KubeObject } {
  const h = historyBuilder();
  h.create('user', RESOURCE, object);
  h.phase('contention');
  return { h, v101: h.get('controller', RESOURCE, 'web') };
}

function withVersion(object: KubeObject, resourceVersion: string | undefined): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata: resourceVersion === undefined ? metadata : { ...metadata, resourceVersion } };
}

function only(history: History, atRest: 'kept' | 'reverted' = 'kept'): Violation {
  const result = judge(history, atRest);
  if (result.result !== 'violated') throw new Error(`expected a violation, got ${JSON.stringify(result)}`);
  expect(result.violations).toHaveLength(1);
  return result.violations[0] as Violation;
}

describe('no lost update', () => {
  describe('carried back', () => {
    it('convicts a PUT of old content under a version fetched after a 409', () => {
      const { h, v101 } = started();
      const victim = h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.update('controller', RESOURCE, setAt(v101, ['spec', 'image'], 'v2'));
      const fresh = h.get('controller', RESOURCE, 'web');
      const stale = withVersion(setAt(v101, ['spec', 'image'], 'v2'), fresh.metadata.resourceVersion);
      const guilty = h.update('controller', RESOURCE, stale);

      const violation = only(h.build({ reference: REFERENCE }));

      expect(violation.sentence).toBe(
        "controller reverted writer-1's acknowledged spec.replicas 3→5 (version 102): its PUT carries content of version 101 " +
          'under version 102, fetched after a 409; at rest it leaves replicas alone',
      );
      expect(violation).toMatchObject({
        signature: { class: 'carried-back', actors: ['target', 'writer'], kind: RESOURCE, field: 'spec.replicas' },
        operations: [guilty.id, victim.id],
        revisions: [102, 103],
        severity: 'error',
      });
    });

    it('convicts a PUT that names no version', () => {
      const { h, v101 } = started();
      h.edit('user', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.update('controller', RESOURCE, withVersion(setAt(v101, ['spec', 'image'], 'v2'), undefined));

      const violation = only(h.build({ reference: REFERENCE }));

      expect(violation.signature).toMatchObject({ class: 'carried-back', actors: ['target', 'user'] });
      expect(violation.sentence).toContain('content of version 101 and no version, so nothing was checked');
    });

    it('convicts a merge patch of a whole list that drops an item added meanwhile', () => {
      const { h } = started();
      h.append('writer-1', RESOURCE, 'web', ['metadata', 'finalizers'], 'foreign/f');
      h.patch('controller', RESOURCE, 'web', { metadata: { finalizers: ['own/f'] } });

      const violation = only(h.build({ reference: REFERENCE }), 'reverted');

      expect(violation.signature).toMatchObject({ class: 'carried-back', field: 'metadata.finalizers' });
      expect(violation.sentence).toContain('its merge patch carries content of version 101 and no version');
      expect(violation.sentence).not.toContain('at rest');
    });

    it('convicts a status PUT of old conditions under a new version, once for the whole item', () => {
      const { h, v101 } = started();
      const foreign = { type: 'Synced', status: 'True', reason: 'ByWriter' };
      h.append('writer-1', RESOURCE, 'web', ['status', 'conditions'], foreign, 'status');
      const stale = setAt(v101, ['status', 'conditions'], [{ type: 'Ready', status: 'True' }]);
      h.update('controller', RESOURCE, withVersion(stale, '102'), 'status');

      const violation = only(h.build({ reference: REFERENCE }), 'reverted');

      expect(violation.signature).toMatchObject({ class: 'carried-back', field: 'status.conditions' });
      expect(violation.sentence).toContain('its PUT of status carries content of version 101 under version 102');
    });

    it('convicts the return of a field that somebody removed', () => {
      const { h, v101 } = started(widget({}, { annotations: { 'example.com/pause': 'yes' } }));
      h.edit('user', RESOURCE, 'web', ['metadata', 'annotations', 'example.com/pause'], null);
      h.update('controller', RESOURCE, withVersion(setAt(v101, ['spec', 'image'], 'v2'), undefined));

      const violation = only(h.build({ reference: REFERENCE }));

      expect(violation.signature.field).toBe('metadata.annotations');
    });

    it('convicts the end of an object whose last finalizer was somebody else’s', () => {
      const { h, v101 } = started(widget({}, { finalizers: ['own/f'] }));
      h.append('writer-1', RESOURCE, 'web', ['metadata', 'finalizers'], 'foreign/f');
      h.delete('user', RESOURCE, 'web');
      h.update('controller', RESOURCE, withVersion(setAt(v101, ['metadata', 'finalizers'], []), undefined));

      const violation = only(h.build({ reference: REFERENCE }));

      expect(violation.signature).toMatchObject({ class: 'carried-back', field: 'metadata.finalizers' });
    });
  });

  describe('removed foreign', () => {
    it('convicts dropping a finalizer of others even though it had been read', () => {
      const { h } = started();
      h.edit('user', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.append('writer-1', RESOURCE, 'web', ['metadata', 'finalizers'], 'foreign/f');
      const fresh = h.get('controller', RESOURCE, 'web');
      h.update('controller', RESOURCE, { ...fresh, metadata: { ...fresh.metadata, finalizers: [] } });

      const violation = only(h.build({ reference: REFERENCE }), 'reverted');

      expect(violation.signature.class).toBe('removed-foreign');
      expect(violation.sentence).toContain('drops it, though version 103 with it had reached it');
      expect(violation.sentence).not.toContain('at rest');
    });

    it('convicts a typed client that drops a field it does not know', () => {
      const { h } = started();
      h.edit('user', RESOURCE, 'web', ['spec', 'novel'], 'x');
      const fresh = h.get('controller', RESOURCE, 'web');
      h.update('controller', RESOURCE, setAt(setAt(fresh, ['spec', 'novel'], null), ['spec', 'image'], 'v2'));
      h.edit('user', RESOURCE, 'web', ['spec', 'novel'], 'y');

      const violation = only(h.build({ reference: REFERENCE }));

      expect(violation.signature.field).toBe('spec.novel');
    });

    it('accepts a field that the target takes away at rest, too, as commands in annotations are', () => {
      const { h } = started();
      h.edit('user', RESOURCE, 'web', ['metadata', 'annotations', 'restart'], 'now');
      h.edit('controller', RESOURCE, 'web', ['metadata', 'annotations', 'restart'], null);

      expect(judge(h.build({ reference: REFERENCE }), 'reverted').result).toBe('holds');
    });

    it('needs no drift test for what the user applied first: the references had it at rest', () => {
      const { h, v101 } = started(widget({ spec: { image: 'v1', replicas: 3, novel: 'x' } }));
      h.update('controller', RESOURCE, setAt(setAt(v101, ['spec', 'novel'], null), ['spec', 'image'], 'v2'));

      expect(noLostUpdate.check(h.build({ reference: REFERENCE }))).toMatchObject({
        result: 'violated',
        violations: [{ signature: { class: 'removed-foreign', field: 'spec.novel' } }],
      });
    });

    it('convicts dropping an owner reference of others, though it writes one of its own', () => {
      const { h } = started();
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u-other' };
      h.append('writer-1', RESOURCE, 'web', ['metadata', 'ownerReferences'], reference);
      const own = { ...reference, name: 'own', uid: 'u-own' };
      h.patch('controller', RESOURCE, 'web', { metadata: { ownerReferences: [own] } });

      const owned = ['name', 'kind', 'apiVersion', 'uid'].map((leaf) => `metadata.ownerReferences[uid=*].${leaf}`);
      const violation = only(h.build({ reference: { ...REFERENCE, ownedLeaves: { [ROLE]: owned } } }), 'reverted');

      expect(violation.signature.field).toBe('metadata.ownerReferences');
    });

    it('accepts a removal that the references do too', () => {
      const { h } = started();
      h.append('writer-1', RESOURCE, 'web', ['metadata', 'finalizers'], 'foreign/f');
      const fresh = h.get('controller', RESOURCE, 'web');
      h.update('controller', RESOURCE, setAt(fresh, ['metadata', 'finalizers'], []));

      const removedLeaves = { [ROLE]: ['metadata.finalizers["foreign/f"]'] };
      expect(judge(h.build({ reference: { ...REFERENCE, removedLeaves } })).result).toBe('holds');
    });
  });

  describe('blind overwrite', () => {
    it('convicts a forced apply over a field that it does not own and had not seen change', () => {
      const { h } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.patch(
        'controller',
        RESOURCE,
        'web',
        { spec: { replicas: 1 } },
        {
          contentType: 'application/apply-patch+yaml',
          query: { force: 'true', fieldManager: 'controller' },
        },
      );

      const violation = only(h.build({ reference: REFERENCE }));

      expect(violation.signature).toMatchObject({ class: 'blind-overwrite', field: 'spec.replicas' });
      expect(violation.sentence).toContain('its forced apply sets the field without having seen that version');
    });

    it('convicts a write by somebody who never read the object', () => {
      const h = historyBuilder();
      h.create('user', RESOURCE, widget());
      h.phase('contention');
      h.update('controller', RESOURCE, widget({ spec: { image: 'v2' } }));

      const violation = only(h.build({ reference: REFERENCE }));

      expect(violation.signature).toMatchObject({ class: 'blind-overwrite', actors: ['target', 'user'] });
      expect(violation.sentence).toContain('was sent without ever having read');
    });
  });

  describe('own update lost', () => {
    function twoLoops(carriesOwn: boolean): History {
      const { h } = started();
      const ready = { type: 'Ready', status: 'True' };
      const synced = { type: 'Synced', status: 'True' };
      const first = h.begin('controller', 'patch', RESOURCE, 'web', {
        subresource: 'status',
        contentType: 'application/merge-patch+json',
        body: { status: { conditions: [ready] } },
      });
      const second = h.begin('controller', 'patch', RESOURCE, 'web', {
        subresource: 'status',
        contentType: 'application/merge-patch+json',
        body: { status: { conditions: carriesOwn ? [ready, synced] : [synced] } },
      });
      first.send();
      first.answer();
      second.send();
      second.answer();
      return h.build({ reference: REFERENCE });
    }

    it('convicts two loops of which the later write undoes the earlier', () => {
      const violation = only(twoLoops(false));

      expect(violation.signature).toMatchObject({
        class: 'own-update-lost',
        actors: ['target', 'target'],
        field: 'status.conditions',
      });
      expect(violation.sentence).toContain('controller reverted its own acknowledged status.conditions[type=Ready]');
    });

    it('accepts two loops that agree', () => {
      expect(judge(twoLoops(true)).result).toBe('holds');
    });

    it('accepts one loop that goes back on its own earlier write', () => {
      const { h } = started();
      for (const type of ['Ready', 'Synced']) {
        h.patch(
          'controller',
          RESOURCE,
          'web',
          { status: { conditions: [{ type, status: 'True' }] } },
          { subresource: 'status' },
        );
      }

      expect(judge(h.build({ reference: REFERENCE })).result).toBe('holds');
    });
  });

  describe('false alarm traps', () => {
    it('accepts a 409 followed by a fresh read and the edit done again', () => {
      const { h, v101 } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      const refused = h.update('controller', RESOURCE, setAt(v101, ['spec', 'image'], 'v2'));
      h.edit('controller', RESOURCE, 'web', ['spec', 'image'], 'v2');

      expect(refused.outcome).toMatchObject({ code: 409 });
      expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('holds');
    });

    it('accepts a merge patch of nothing but its own leaves', () => {
      const { h } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.patch('controller', RESOURCE, 'web', { spec: { image: 'v2' } });

      expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('holds');
    });

    it('accepts a change that was replaced on purpose by somebody who had seen it', () => {
      const { h } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.edit('controller', RESOURCE, 'web', ['spec', 'replicas'], 7);

      expect(judge(h.build({ reference: REFERENCE })).result).toBe('holds');
    });

    it('accepts drift correction: at rest the target reverts the field as well', () => {
      const { h, v101 } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.update('controller', RESOURCE, withVersion(setAt(v101, ['spec', 'image'], 'v2'), undefined));

      expect(judge(h.build({ reference: REFERENCE }), 'reverted').result).toBe('holds');
    });

    it('only warns of what the target replaces undisturbed as well, once the user changes something', () => {
      const { h, v101 } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.update('controller', RESOURCE, withVersion(setAt(v101, ['spec', 'image'], 'v2'), undefined));

      expect(judge(h.build({ reference: REFERENCE }), 'replaced')).toMatchObject({
        result: 'violated',
        violations: [{ severity: 'warning', sentence: expect.stringMatching(/; undisturbed, it replaces it as well/) }],
      });
    });

    it('does not judge leaves that the target owns', () => {
      const { h, v101 } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'image'], 'foreign');
      h.update('controller', RESOURCE, withVersion(v101, undefined));

      expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('holds');
    });

    it('does not count what the server ignored', () => {
      const { h, v101 } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.update('controller', RESOURCE, withVersion(setAt(v101, ['status', 'phase'], 'Ready'), '102'), 'status');

      expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('holds');
    });

    it('does not count a foreign write whose answer was lost', () => {
      const { h, v101 } = started();
      const body = setAt(v101, ['spec', 'replicas'], 5);
      h.begin('writer-1', 'update', RESOURCE, 'web', { body }).lose();
      h.update('controller', RESOURCE, withVersion(setAt(v101, ['spec', 'image'], 'v2'), undefined));

      expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('holds');
    });

    it('accepts a write whose answer was lost and that is sent again', () => {
      const { h, v101 } = started();
      const body = setAt(v101, ['spec', 'image'], 'v2');
      h.begin('controller', 'update', RESOURCE, 'web', { body }).lose();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.update('controller', RESOURCE, body);
      h.edit('controller', RESOURCE, 'web', ['spec', 'image'], 'v2');

      expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('holds');
    });

    it('does not confuse an object with a later one of the same name', () => {
      const { h } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.delete('user', RESOURCE, 'web');
      h.create('user', RESOURCE, widget());
      h.edit('controller', RESOURCE, 'web', ['spec', 'image'], 'v2');

      expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('holds');
    });

    it('does not call deleting an object a lost update', () => {
      const { h } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.delete('controller', RESOURCE, 'web');

      expect(noLostUpdate.check(h.build({ reference: REFERENCE })).result).toBe('holds');
    });
  });

  describe('inconclusive', () => {
    it('asks who owns the field, with the same write, before it accuses', () => {
      const { h, v101 } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.update('controller', RESOURCE, withVersion(setAt(v101, ['spec', 'image'], 'v2'), undefined));

      expect(noLostUpdate.check(h.build({ reference: REFERENCE }))).toEqual({
        result: 'inconclusive',
        reason:
          'a field that another writer had set was overwritten, and no further run showed whether it is the target’s to set',
        needs: [
          {
            probe: 'drift',
            role: ROLE,
            leaves: ['spec.replicas'],
            value: 5,
            op: {
              do: 'set',
              target: { group: 'example.com', version: 'v1', resource: 'widgets', namespace: 'default', name: 'web' },
              path: ['spec', 'replicas'],
              value: 5,
              via: 'update',
            },
          },
        ],
      });
    });

    it('asks with a removal when a removal was undone', () => {
      const { h, v101 } = started(widget({}, { annotations: { note: 'x' } }));
      h.edit('user', RESOURCE, 'web', ['metadata', 'annotations', 'note'], null);
      h.update('controller', RESOURCE, withVersion(setAt(v101, ['spec', 'image'], 'v2'), undefined));

      const result = noLostUpdate.check(h.build({ reference: REFERENCE }));

      expect(result).toMatchObject({
        needs: [{ op: { do: 'set', path: ['metadata', 'annotations', 'note'], value: null } }],
      });
    });

    it('has no opinion on a suspicion without a reference', () => {
      const { h, v101 } = started();
      h.edit('writer-1', RESOURCE, 'web', ['spec', 'replicas'], 5);
      h.update('controller', RESOURCE, withVersion(setAt(v101, ['spec', 'image'], 'v2'), undefined));

      const result = noLostUpdate.check(h.build({ reference: null }));

      expect(result).toEqual({
        result: 'inconclusive',
        reason: 'there are no undisturbed runs to show which fields are the target’s',
      });
    });
  });
});
