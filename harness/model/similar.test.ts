import { describe, expect, it } from 'vitest';
import { editDistance, nearestOf } from './similar.ts';

describe('similar words', () => {
  it.each([
    ['port', 'port', 0],
    ['', 'port', 4],
    ['prot', 'port', 2],
    ['kubeconfg', 'kubeconfig', 1],
    ['kitten', 'sitting', 3],
  ])('%s and %s are %d changes apart', (one, other, distance) => {
    expect(editDistance(one, other)).toBe(distance);
    expect(editDistance(other, one)).toBe(distance);
  });

  it('names the nearest', () => {
    expect(nearestOf('namepsace', ['kubeconfig', 'namespace', 'files'])).toBe('namespace');
    expect(nearestOf('x', [])).toBeUndefined();
    expect(nearestOf('volume', ['kubeconfig', 'namespace', 'files'])).toBeUndefined();
  });
});
