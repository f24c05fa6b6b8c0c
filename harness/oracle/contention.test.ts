import { describe, expect, it } from 'vitest';
import { setAt } from '../model/edit.ts';
import { contention } from './contention.ts';
import type { HistoryBuilder } from './test-history.ts';
import { historyBuilder, manifest, ownedBy } from './test-history.ts';

const WIDGETS = 'widgets.example.com';

function started(): HistoryBuilder {
  const h = historyBuilder();
  h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { n: 1 } }));
  h.deliver('controller', WIDGETS);
  return h.phase('contention');
}

describe('contention', () => {
  it('is nothing when nobody gets in the way', () => {
    const h = started();
    h.edit('controller', WIDGETS, 'web', ['spec', 'n'], 2);

    expect(Object.values(contention(h.build())).every((count) => count === 0)).toBe(true);
  });

  it('counts a write that somebody overtook between read and write, refused or not', () => {
    const h = started();
    const read = h.get('controller', WIDGETS, 'web');
    h.edit('writer-1', WIDGETS, 'web', ['spec', 'n'], 5);
    h.update('controller', WIDGETS, setAt(read, ['spec', 'm'], 1));
    h.patch('controller', WIDGETS, 'web', { spec: { m: 1 } });

    expect(contention(h.build())).toMatchObject({ conflicts: 1, staleReads: 2, foreignWritesBetweenReadAndWrite: 2 });
  });

  it('counts a create for an owner that looks different by now', () => {
    const h = started();
    const owner = h.live(WIDGETS, 'web');
    h.edit('user', WIDGETS, 'web', ['spec', 'n'], 5);
    h.create('controller', 'pods', manifest('Pod', 'p', {}, { ownerReferences: [ownedBy(owner)] }));

    expect(contention(h.build())).toMatchObject({ conflicts: 0, staleReads: 1, foreignWritesBetweenReadAndWrite: 1 });
  });

  it.each([
    ['counts a create of what is there already, and was not seen', ['list'], 1],
    ['does not count it if the target has seen it', ['list', 'see'], 0],
    ['does not count it if the target never reads such objects', [], 0],
  ])('%s', (_, given, staleReads) => {
    const h = started();
    if (given.includes('list')) h.list('controller', 'pods');
    h.create('writer-1', 'pods', manifest('Pod', 'p'));
    if (given.includes('see')) h.get('controller', 'pods', 'p');
    h.begin('controller', 'create', 'pods', 'p', { body: manifest('Pod', 'p') }).fail(409, 'AlreadyExists');

    expect(contention(h.build())).toMatchObject({ conflicts: 1, staleReads });
  });

  it('counts events that arrived after the target had gone on without them', () => {
    const h = started();
    h.edit('user', WIDGETS, 'web', ['spec', 'n'], 5);
    h.deliver('controller', WIDGETS);
    h.edit('user', WIDGETS, 'web', ['spec', 'n'], 6);
    h.get('controller', WIDGETS, 'web');
    h.deliver('controller', WIDGETS);

    expect(contention(h.build()).heldEvents).toBe(1);
  });

  it('counts lost responses, faults and crashes', () => {
    const h = started();
    h.begin('controller', 'patch', WIDGETS, 'web', { body: { spec: { n: 2 } } }).lose();
    h.process('controller', 'crashed');
    const decisions = [{ kind: 'fault' as const, label: 'x', detail: 'lose-response', ...h.mark() }];

    expect(contention(h.build({ decisions }))).toMatchObject({ lostResponses: 1, crashes: 1, faults: 1 });
  });
});
