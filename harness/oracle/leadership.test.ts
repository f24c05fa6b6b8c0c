import { describe, expect, it } from 'vitest';
import { overlap, type Life } from './leadership.ts';

describe('two lives at the same time', () => {
  const life = (actor: string): Life => ({ actor, from: 0, until: 10 });

  it.each([
    ['controller', 'controller~2', true],
    ['controller:webhook~2', 'controller:webhook~3', true],
    ['controller', 'controller:webhook', false],
    ['controller:webhook', 'controller:source', false],
    ['controller', 'controller', false],
  ])('are replicas only where they are of one program: %s and %s', (one, other, are) => {
    expect(overlap(life(one), life(other))).toBe(are);
  });
});
