/** Tests the input of a fresh copy of the target, if the target also writes to the user's objects. */
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { setAt } from '../../model/edit.ts';
import type { FieldPath } from '../../model/workload.ts';
import { historyBuilder, manifest, REFERENCE } from '../../oracle/test-history.ts';
import { foreignInput, inputWithoutReplacements } from './foreign-input.ts';

const WIDGETS = 'widgets.example.com';

interface Write {
  readonly by: string;
  readonly path: FieldPath;
  readonly value: JsonValue;
}

/** Returns the input spec after these writes, for a target that was observed to write `owned` and to remove `removed`. */
function specAfter(
  spec: JsonObject,
  writes: readonly Write[],
  owned: readonly string[],
  removed: readonly string[] = [],
  creator = 'user',
): JsonValue | undefined {
  const h = historyBuilder();
  h.create(creator, WIDGETS, manifest('Widget', 'web', { spec }));
  h.phase('contention');
  for (const { by, path, value } of writes)
    h.update(by, WIDGETS, setAt(h.live(WIDGETS, 'web'), ['spec', ...path], value));
  const of = (leaves: readonly string[]): { readonly [role: string]: readonly string[] } =>
    leaves.length === 0 ? {} : { [`${WIDGETS}:web`]: leaves };
  const [widget] = foreignInput(h.build(), { ...REFERENCE, ownedLeaves: of(owned), removedLeaves: of(removed) });
  return widget?.['spec'];
}

const write = (by: string, path: FieldPath, value: JsonValue): Write => ({ by, path, value });

/** Returns the input for a widget that is being deleted and has the target's finalizer. */
function terminating(...others: readonly string[]): readonly KubeObject[] {
  const h = historyBuilder();
  h.create('user', WIDGETS, manifest('Widget', 'web', {}, others.length === 0 ? {} : { finalizers: others }));
  h.phase('contention');
  const live = h.live(WIDGETS, 'web');
  h.update('controller', WIDGETS, setAt(live, ['metadata', 'finalizers'], [...others, 'example.com/own']));
  h.delete('user', WIDGETS, 'web');
  const ownedLeaves = { [`${WIDGETS}:web`]: ['metadata.finalizers["example.com/own"]'] };
  return foreignInput(h.build(), { ...REFERENCE, ownedLeaves });
}

describe('the input of a fresh copy', () => {
  it('has an object that another client made in the place of the target’s own, except where it is to be left out', () => {
    const h = historyBuilder();
    h.create('user', WIDGETS, manifest('Widget', 'web'));
    h.create('controller', 'pods', manifest('Pod', 'web-0'));
    h.delete('writer-1', 'pods', 'web-0');
    h.create('writer-1', 'pods', manifest('Pod', 'web-0'));
    h.create('writer-1', 'pods', manifest('Pod', 'stranger'));
    const kept = (input: readonly KubeObject[]): readonly unknown[] => input.map(({ metadata: { name } }) => name);

    expect(kept(foreignInput(h.build(), REFERENCE))).toEqual(['web', 'web-0', 'stranger']);
    expect(kept(inputWithoutReplacements(h.build(), REFERENCE))).toEqual(['web', 'stranger']);
  });

  it('has no object that is being deleted and that only the target’s own finalizer keeps', () => {
    expect(terminating()).toEqual([]);
    expect(terminating('example.com/of-others')).toMatchObject([
      { metadata: { finalizers: ['example.com/of-others'] } },
    ]);
  });

  it('has what the server filled in when the target wrote something else', () => {
    const h = historyBuilder();
    h.create('user', WIDGETS, manifest('Widget', 'web', { spec: { size: 1 } }));
    h.patch('controller', WIDGETS, 'web', { metadata: { finalizers: ['example.com/own'] } });
    const history = h.build();
    const filled = { status: { observedGeneration: -1 } };
    const revisions = history.revisions.map((one, at) =>
      at === 0 ? one : { ...one, object: { ...one.object, ...filled } },
    );
    const ownedLeaves = { [`${WIDGETS}:web`]: ['metadata.finalizers["example.com/own"]'] };

    expect(foreignInput({ ...history, revisions }, { ...REFERENCE, ownedLeaves })).toMatchObject([filled]);
  });

  it('has a namespace that is being deleted, as long as something is left in it', () => {
    const h = historyBuilder();
    const spec = { finalizers: ['kubernetes'] };
    h.create('user', 'namespaces', manifest('Namespace', 'team', { spec }));
    h.phase('contention');
    h.update('user', 'namespaces', setAt(h.live('namespaces', 'team'), ['metadata', 'deletionTimestamp'], 'now'));

    expect(foreignInput(h.build(), REFERENCE)).toMatchObject([{ kind: 'Namespace', spec }]);
  });

  it('has the user’s value where the target wrote another, and nothing where only the target wrote', () => {
    const writes = [write('controller', ['cpu'], '2'), write('controller', ['memory'], '1Gi')];

    expect(specAfter({ cpu: '2000m' }, writes, ['spec.cpu', 'spec.memory'])).toEqual({ cpu: '2000m' });
  });

  it('has what another writer created the object with', () => {
    expect(specAfter({ cpu: '2000m' }, [write('controller', ['cpu'], '2')], ['spec.cpu'], [], 'writer-1')).toEqual({
      cpu: '2000m',
    });
  });

  it('has the value that the target found as it should be, though it writes that field at other times', () => {
    expect(specAfter({ cpu: '2' }, [], ['spec.cpu'])).toEqual({ cpu: '2' });
  });

  it('has what a user or another writer set last', () => {
    const changed = [
      write('controller', ['cpu'], '2'),
      write('writer-1', ['cpu'], '3000m'),
      write('controller', ['cpu'], '3'),
    ];

    expect(specAfter({ cpu: '2000m' }, changed, ['spec.cpu'])).toEqual({ cpu: '3000m' });
    expect(specAfter({ cpu: '2000m', size: 1 }, [write('user', ['cpu'], null)], ['spec.cpu'])).toEqual({ size: 1 });
  });

  it('has a field again that the target moves to another one', () => {
    const moved = [write('controller', ['newName'], 'x'), write('controller', ['oldName'], null)];

    expect(specAfter({ oldName: 'x', size: 1 }, moved, ['spec.newName'], ['spec.oldName'])).toEqual({
      size: 1,
      oldName: 'x',
    });
  });

  it('has a user’s value in an item of a list, and the whole list where its items have no names', () => {
    const named = [write('controller', ['containers', { name: 'web' }, 'cpu'], '2')];
    const nameless = [write('controller', ['limits'], [{ cpu: '2' }])];

    expect(
      specAfter({ containers: [{ name: 'web', cpu: '2000m' }] }, named, ['spec.containers[name=web].cpu']),
    ).toEqual({
      containers: [{ name: 'web', cpu: '2000m' }],
    });
    expect(specAfter({ limits: [{ cpu: '2000m' }] }, nameless, ['spec.limits[*].cpu'])).toEqual({
      limits: [{ cpu: '2000m' }],
    });
  });

  it('has a user’s item of a list again, and not those that the target put in its place', () => {
    const args = [write('controller', ['args'], ['--fast', '--color'])];

    expect(
      specAfter(
        { args: ['--colour'] },
        args,
        ['spec.args["--fast"]', 'spec.args["--color"]'],
        ['spec.args["--colour"]'],
      ),
    ).toEqual({ args: ['--colour'] });
  });
});
