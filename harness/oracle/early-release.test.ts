import type { JsonObject } from 'stalemate-apiserver/objects/object';
import { describe, expect, it } from 'vitest';
import { earlyRelease } from './early-release.ts';
import { historyBuilder, manifest, ownedBy, type HistoryBuilder } from './test-history.ts';

const KIND = 'widgets.example.com';
const FINALIZER = 'example.com/clean-up';

/** A widget with the finalizer of the target, and an index that the target made for it. */
function deleted(index: string, more: JsonObject = {}): HistoryBuilder {
  const h = historyBuilder();
  h.create('user', KIND, manifest('Widget', 'web', { spec: {} }));
  h.phase('contention');
  h.edit('controller', KIND, 'web', ['metadata', 'finalizers'], [FINALIZER]);
  h.create('controller', 'configmaps', manifest('ConfigMap', index, {}, more));
  h.delete('user', KIND, 'web');
  return h;
}

function uidOf(h: HistoryBuilder, name: string): string {
  return h.live('configmaps', name).metadata.uid ?? '';
}

describe('an object that a clean-up has left', () => {
  it('is blamed on the removal of the finalizer', () => {
    const h = deleted('web-index');
    h.edit('controller', KIND, 'web', ['metadata', 'finalizers'], []);

    expect(earlyRelease(h.build(), uidOf(h, 'web-index'))).toMatchObject({
      resource: KIND,
      name: 'web',
      actor: 'controller',
    });
  });

  it('is related by a label as well', () => {
    const h = deleted('index', { labels: { of: 'web' } });
    h.edit('controller', KIND, 'web', ['metadata', 'finalizers'], []);

    expect(earlyRelease(h.build(), uidOf(h, 'index'))).toMatchObject({ name: 'web' });
  });

  it.each([
    ['it has another name', (): HistoryBuilder => deleted('other')],
    [
      'it has an owner, with which garbage collection removes it',
      (): HistoryBuilder => {
        const h = historyBuilder();
        const owner = h.create('user', KIND, manifest('Widget', 'web', { spec: {} }));
        h.phase('contention');
        h.edit('controller', KIND, 'web', ['metadata', 'finalizers'], [FINALIZER]);
        h.create(
          'controller',
          'configmaps',
          manifest('ConfigMap', 'web-index', {}, { ownerReferences: [{ ...ownedBy(owner) }] }),
        );
        h.delete('user', KIND, 'web');
        return h;
      },
    ],
  ])('is not where %s', (_, make) => {
    const h = make();
    h.edit('controller', KIND, 'web', ['metadata', 'finalizers'], []);
    const [index] = h.build().revisions.filter(({ resource }) => resource === 'configmaps');

    expect(earlyRelease(h.build(), index?.uid)).toBeUndefined();
  });

  it('is not where it was made only afterwards', () => {
    const h = historyBuilder();
    h.create('user', KIND, manifest('Widget', 'web', { spec: {} }));
    h.phase('contention');
    h.edit('controller', KIND, 'web', ['metadata', 'finalizers'], [FINALIZER]);
    h.delete('user', KIND, 'web');
    h.edit('controller', KIND, 'web', ['metadata', 'finalizers'], []);
    h.create('controller', 'configmaps', manifest('ConfigMap', 'web-index'));

    expect(earlyRelease(h.build(), uidOf(h, 'web-index'))).toBeUndefined();
  });
});
