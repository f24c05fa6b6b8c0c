import { describe, expect, it } from 'vitest';
import { historyBuilder, manifest } from '../harness/oracle/test-history.ts';
import type { HistoryBuilder } from '../harness/oracle/test-history.ts';
import { noMistakenDeletion } from './no-mistaken-deletion.ts';

const WIDGETS = 'widgets.example.com';

/** Builds a history in which an object that the target has received was replaced by another one of the same name. */
function replaced(): HistoryBuilder {
  const h = historyBuilder();
  h.create('user', WIDGETS, manifest('Widget', 'web'));
  h.deliver('controller', WIDGETS);
  h.phase('contention');
  h.delete('user', WIDGETS, 'web');
  h.create('user', WIDGETS, manifest('Widget', 'web'));
  return h;
}

describe('no-mistaken-deletion', () => {
  it('convicts a deletion that takes a successor the target had never been shown', () => {
    const h = replaced();
    h.delete('controller', WIDGETS, 'web');

    expect(noMistakenDeletion.check(h.build())).toMatchObject({
      result: 'violated',
      violations: [
        {
          signature: { class: 'deleted-another', kind: WIDGETS },
          revisions: [102, 103, 104],
          sentence:
            'controller deleted a widgets.example.com/web that user had created in its place (version 103) and that it had never ' +
            'seen: its DELETE names no uid, and was meant for the one that was gone by version 102',
        },
      ],
    });
  });

  it('accepts one of an object that it had been shown, by watch, read or list', () => {
    const watched = replaced().deliver('controller', WIDGETS);
    watched.delete('controller', WIDGETS, 'web');
    expect(noMistakenDeletion.check(watched.build())).toEqual({ result: 'holds' });

    const read = replaced();
    read.get('controller', WIDGETS, 'web');
    read.delete('controller', WIDGETS, 'web');
    expect(noMistakenDeletion.check(read.build())).toEqual({ result: 'holds' });

    const listed = replaced();
    listed.list('controller', WIDGETS);
    listed.delete('controller', WIDGETS, 'web');
    expect(noMistakenDeletion.check(listed.build())).toEqual({ result: 'holds' });
  });

  it('lets the target delete what another client has put in the place of its own object', () => {
    const h = historyBuilder().phase('contention');
    h.create('controller', WIDGETS, manifest('Widget', 'web'));
    h.deliver('controller', WIDGETS);
    h.delete('writer-1', WIDGETS, 'web');
    h.create('writer-1', WIDGETS, manifest('Widget', 'web'));
    h.delete('controller', WIDGETS, 'web');

    expect(noMistakenDeletion.check(h.build())).toEqual({ result: 'holds' });
  });

  it('lets a cleaner delete by name what it has never looked at', () => {
    const h = historyBuilder().phase('contention');
    h.create('user', WIDGETS, manifest('Widget', 'web'));
    h.delete('controller', WIDGETS, 'web');

    expect(noMistakenDeletion.check(h.build())).toEqual({ result: 'holds' });
  });

  it('lets a target take down what it made, whichever life of it made it', () => {
    const h = historyBuilder();
    h.create('controller', WIDGETS, manifest('Widget', 'web'));
    h.delete('controller', WIDGETS, 'web');
    h.phase('contention');
    h.begin('controller', 'create', WIDGETS, 'web', { body: manifest('Widget', 'web') }).lose();
    h.delete('controller~2', WIDGETS, 'web');

    expect(noMistakenDeletion.check(h.build())).toEqual({ result: 'holds' });
  });

  it('does not count a deletion that took nothing', () => {
    const h = replaced();
    h.delete('user', WIDGETS, 'web');
    h.delete('controller', WIDGETS, 'web');

    expect(noMistakenDeletion.check(h.build())).toEqual({ result: 'holds' });
  });

  it('is inconclusive where an answer without objects may have shown the successor', () => {
    const h = replaced();
    h.list('controller', WIDGETS);
    h.delete('controller', WIDGETS, 'web');
    const history = h.build();
    const operations = history.operations.map((operation) =>
      operation.verb === 'list' ? { ...operation, outcome: { type: 'ok' as const, code: 200 } } : operation,
    );

    expect(noMistakenDeletion.check({ ...history, operations }).result).toBe('inconclusive');
  });
});
