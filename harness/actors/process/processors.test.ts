import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { allowedProcessors, nextProcessor, parseList } from './processors.ts';

describe('the processors of targets', () => {
  it.each([
    ['', []],
    ['0', [0]],
    ['0-3,8,10-11', [0, 1, 2, 3, 8, 10, 11]],
  ])('are read from the list "%s"', (list, expected) => {
    expect(parseList(list)).toEqual(expected);
  });

  it.runIf(process.platform === 'linux')('are those that this process may use, one after the other', () => {
    const allowed = allowedProcessors();

    expect(allowed).toHaveLength(availableParallelism());
    expect(new Set(allowed.map(() => nextProcessor()))).toEqual(new Set(allowed));
  });
});
