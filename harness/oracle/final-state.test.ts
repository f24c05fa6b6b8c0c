import { describe, expect, it } from 'vitest';
import { WORKLOADS } from '../model/actor.ts';
import { finalState } from './final-state.ts';
import { historyBuilder, manifest, ownedBy } from './test-history.ts';

describe('the state at rest', () => {
  it('has what the environment made for somebody, and not what it keeps for itself', () => {
    const builder = historyBuilder();
    const widget = builder.create('controller', 'widgets.example.com', manifest('Widget', 'a'));
    const owned = manifest('Gadget', 'a-1', {}, { ownerReferences: [{ ...ownedBy(widget) }] });
    builder.create(WORKLOADS, 'gadgets.example.com', owned);
    builder.create(WORKLOADS, 'machines.example.com', manifest('Machine', 'spare'));
    builder.edit(WORKLOADS, 'machines.example.com', 'spare', ['spec', 'busy'], false);

    const state = finalState(builder.build());

    expect([...state.keys()]).toEqual(['widgets.example.com/default/a', 'gadgets.example.com/default/a-1']);
  });
});
