import { describe, expect, it } from 'vitest';
import { changesText, changeText, isField, shortLeaf } from './leaf-text.ts';

describe('shortLeaf', () => {
  it.each([
    ['spec.replicas', 'replicas'],
    ['status.conditions[type=Ready].status', 'Ready.status'],
    ['metadata.annotations["example.com/a"]', 'example.com/a'],
    ['spec.template.spec.containers[name=web].image', 'image'],
    ['metadata.ownerReferences[uid=u-1].name', 'name'],
  ])('%s is shown as %s', (path, short) => {
    expect(shortLeaf(path)).toBe(short);
  });
});

describe('changeText', () => {
  it('shows a new value, a removal and an item of a list of names', () => {
    expect(changeText({ path: 'spec.replicas', from: 3, to: 5 })).toBe('replicas=5');
    expect(changeText({ path: 'spec.paused', from: true })).toBe('-paused');
    expect(changeText({ path: 'metadata.finalizers["a.io/x"]', to: 'a.io/x' })).toBe('+a.io/x');
    expect(changeText({ path: 'metadata.finalizers["a.io/x"]', from: 'a.io/x' })).toBe('-a.io/x');
  });

  it('cuts long values', () => {
    expect(changeText({ path: 'data.key', to: 'x'.repeat(100) }).length).toBeLessThan(40);
  });
});

describe('changesText', () => {
  it('never drops the field that the violation is about', () => {
    const changes = ['a', 'b', 'c', 'd'].map((key) => ({ path: `spec.${key}`, to: 1 }));

    expect(changesText([{ path: 'spec.replicas', to: 3 }, ...changes], 'spec.replicas')).toBe(
      'a=1 b=1 replicas=3 +2 more',
    );
  });

  it('tells a condition that comes or goes as one', () => {
    const field = 'status.conditions[type=Ready]';
    const leaves = ['type', 'status', 'reason'].map((key) => `${field}.${key}`);

    expect(
      changesText(
        leaves.map((path) => ({ path, from: 'x' })),
        field,
      ),
    ).toBe('-Ready');
    expect(
      changesText(
        leaves.map((path) => ({ path, to: 'True' })),
        field,
      ),
    ).toBe('Ready.status=True');
  });

  it('names the item that goes, not the list that it is in', () => {
    const audited = ['type', 'status', 'reason'].map((key) => ({
      path: `status.conditions[type=Audited].${key}`,
      from: 'x',
    }));
    const ready = { path: 'status.conditions[type=Ready].type', from: 'x' };

    expect(changesText(audited, 'status.conditions')).toBe('-Audited');
    expect(changesText([...audited, ready], 'status.conditions')).toBe('-conditions');
  });

  it('leaves out what the server decides', () => {
    expect(
      changesText(
        [
          { path: 'metadata.resourceVersion', to: '7' },
          { path: 'spec.a', to: 1 },
        ],
        '',
      ),
    ).toBe('a=1');
  });
});

describe('isField', () => {
  it('takes the leaf itself and what is below it, but no neighbour', () => {
    expect(isField('spec.replicas', 'spec.replicas')).toBe(true);
    expect(isField('status.conditions[type=Ready].status', 'status.conditions')).toBe(true);
    expect(isField('spec.replicasMax', 'spec.replicas')).toBe(false);
    expect(isField('spec.replicas', '')).toBe(false);
  });
});
