import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { describe, expect, it } from 'vitest';
import type { History } from '../model/history.ts';
import type { ExpectedState } from '../model/probe.ts';
import { withoutDrawn } from './drawn-values.ts';
import { finalState, nearestDifferences, placeOf } from './final-state.ts';
import { historyBuilder, manifest } from './test-history.ts';

describe('a value out of a pool', () => {
  const nodes = (one: string, other: string): readonly KubeObject[] =>
    [one, other].map((range, at) =>
      manifest('Node', 'ab'.charAt(at), { spec: { podCIDR: `10.0.${range}.0/24`, podCIDRs: [`10.0.${range}.0/24`] } }),
    );
  const outcome = (one: string, other: string): ExpectedState => ({
    objects: Object.fromEntries(nodes(one, other).map((node) => [`nodes/default/${node.metadata.name ?? ''}`, node])),
  });
  const run = (all: readonly KubeObject[]): History => {
    const h = historyBuilder();
    for (const node of all) {
      h.create('user', 'nodes', manifest('Node', node.metadata.name ?? ''));
      h.patch('controller', 'nodes', node.metadata.name ?? '', { spec: node['spec'] as JsonObject });
    }
    const ownedLeaves = Object.fromEntries(['a', 'b'].map((name) => [`nodes:${name}`, ['spec.podCIDR']]));
    return h.build({ reference: { ownedLeaves } });
  };
  const left = (all: readonly KubeObject[]): readonly string[] => {
    const history = run(all);
    const state = finalState(history);
    const found = nearestDifferences(history, state, [outcome('0', '1')]);
    expect(found).not.toEqual([]);
    return withoutDrawn(found, [[outcome('0', '1')], [outcome('0', '1'), outcome('1', '0')]], state).map(placeOf);
  };

  it('is drawn where it depends on which object comes first, also as the item of a list', () => {
    expect(left(nodes('7', '1'))).toEqual([]);
  });

  it('is not drawn where two objects have the same one', () => {
    expect(left(nodes('1', '1'))).toContain('nodes/a spec.podCIDR');
  });

  it('is not drawn where there is none', () => {
    const [a, b] = nodes('0', '1');
    const lost = { ...b, spec: { podCIDRs: ['10.0.1.0/24'] } } as KubeObject;

    expect(left([a ?? lost, lost])).toEqual(['nodes/b spec.podCIDR']);
  });

  it('is not drawn where an item is one too many', () => {
    const [a, b] = nodes('0', '1');
    const two = { ...b, spec: { podCIDR: '10.0.1.0/24', podCIDRs: ['10.0.1.0/24', '10.0.7.0/24'] } } as KubeObject;

    expect(left([a ?? two, two])).toEqual(['nodes/b spec.podCIDRs["10.0.7.0/24"]']);
  });
});
