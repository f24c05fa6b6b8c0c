import { describe, expect, it } from 'vitest';
import type { Operation, StreamEnd } from '../model/history.ts';
import { expiredAgain } from './expired-watches.ts';

function operation(verb: 'watch' | 'list', at: number, resourceVersion: string): Operation {
  const part: Partial<Operation> = {
    actor: 'controller',
    verb,
    resource: 'pods',
    namespace: 'default',
    label: `controller/${verb}/pods/default#${at}`,
    query: { resourceVersion },
  };
  return part as Operation;
}

function watches(count: number, version = '7', from = 0): readonly Operation[] {
  return Array.from({ length: count }, (_, at) => operation('watch', from + at, version));
}

function refused(operations: readonly Operation[]): Parameters<typeof expiredAgain>[0] {
  const streamEnds = operations.flatMap(({ verb, label }) =>
    verb === 'watch' ? [{ stream: label, why: 'expired' } as StreamEnd] : [],
  );
  return { operations, streamEnds };
}

describe('watches from a version that is gone', () => {
  it('are found if they go on to the end of the run', () => {
    expect(expiredAgain(refused(watches(10)))).toMatchObject([
      { actor: 'controller', resource: 'pods', version: '7', watches: { length: 10 } },
    ]);
  });

  it('are a few retries if there are fewer', () => {
    expect(expiredAgain(refused(watches(9)))).toEqual([]);
  });

  it('are over once the client lists again', () => {
    expect(expiredAgain(refused([...watches(12), operation('list', 0, '')]))).toEqual([]);
  });

  it('are over once a watch asks for the initial events, from whatever version', () => {
    const { operations, streamEnds } = refused(watches(12));
    const again = operation('watch', 12, '7');
    const listing = { ...again, query: { ...again.query, sendInitialEvents: 'true' } };

    expect(expiredAgain({ operations: [...operations, listing], streamEnds })).toEqual([]);
  });

  it('are over once a watch from another version opens', () => {
    const { operations, streamEnds } = refused(watches(12));

    expect(expiredAgain({ operations: [...operations, operation('watch', 12, '9')], streamEnds })).toEqual([]);
  });

  it('are found where the run ends before the last one is refused', () => {
    const { operations, streamEnds } = refused(watches(12));

    expect(expiredAgain({ operations, streamEnds: streamEnds.slice(0, -1) })).toMatchObject([
      { watches: { length: 11 } },
    ]);
  });

  it('are not the same if the client moves on between them', () => {
    expect(expiredAgain(refused([...watches(6), ...watches(6, '9', 6)]))).toEqual([]);
  });
});
