import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { emptyHistory } from '../../execution/run/empty-history.ts';
import { parseManifests } from '../../execution/project/manifest-files.ts';
import type { History, Operation, Revision } from '../../model/history.ts';
import { repositoryOf } from './repository.ts';
import { tryCandidates, type Tried } from './try-candidates.ts';

const CRD = readFileSync(new URL('../../../controllers-under-test/releases/crd.yaml', import.meta.url), 'utf8');
const SAMPLE = readFileSync(new URL('../../../controllers-under-test/releases/sample.yaml', import.meta.url), 'utf8');
const crds = parseManifests(CRD, 'crd.yaml', true).map(({ object }) => object);
const sample = (name: string): string => SAMPLE.replace(/^ {2}name: .*$/m, `  name: ${name}`);
const mark = { at: 1, timeMs: 1 };

/** Returns a run in which the target created `count` config maps. */
function made(count: number, operations: readonly Operation[] = []): History {
  const revisions = Array.from({ length: count }, (_, at): Revision => {
    const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${at}` } };
    const about = { resource: 'configmaps', namespace: 'default', name: `${at}`, uid: `${at}` };
    return { ...mark, ...about, revision: at, type: 'ADDED', object, op: 0, actor: 'controller' };
  });
  return { ...emptyHistory(''), settlement: { result: 'quiescent', windowMs: 1 }, operations, revisions };
}

const asked = (actor: string, over: Partial<Operation>): Operation => ({
  ...{ id: 0, actor, label: '', verb: 'get', resource: '', version: 'v1', subresource: '', namespace: 'default' },
  ...{ name: '', query: {}, invoked: mark, outcome: { type: 'ok', code: 200 }, committed: [] },
  ...over,
});
const failing = (code: number): Operation['outcome'] => ({ type: 'fail', code, reason: '', message: 'no' });

async function chosen(
  texts: { readonly [path: string]: string },
  lead: (names: readonly string[]) => History,
): Promise<readonly Tried[]> {
  return await tryCandidates({
    repository: repositoryOf(texts),
    crds,
    namespace: 'default',
    alone: undefined,
    run: (groups) =>
      Promise.resolve(
        new Map(groups.map(({ name, objects }) => [name, lead(objects.map(({ metadata }) => metadata.name ?? ''))])),
      ),
    onTried: () => {},
  });
}

it('chooses the sample that the target does most with, of each kind', async () => {
  const texts = { 'samples/a.yaml': sample('a'), 'samples/b.yaml': sample('b') };

  const found = await chosen(texts, (names) => made(names.includes('b') ? 2 : 1));

  expect(found.map(({ name }) => name)).toEqual(['samples/b.yaml']);
});

it('chooses the newest of equal samples, and one with unknown fields last', async () => {
  const strange = sample('strange').replace(/^spec:$/m, 'spec:\n  misspelt: true');
  const texts = {
    'examples/v9/a.yaml': sample('a'),
    'examples/v10/a.yaml': sample('a'),
    'examples/v11/a.yaml': strange,
  };
  const of = async (shown: { readonly [path: string]: string }): Promise<readonly string[]> =>
    (await chosen(shown, (names) => made(names.includes('strange') ? 2 : 1))).map(({ name }) => name);

  expect(strange).toContain('misspelt');
  expect(await of(texts)).toEqual(['examples/v10/a.yaml']);
  expect(await of({ 'examples/v11/a.yaml': strange })).toEqual(['examples/v11/a.yaml']);
});

it('chooses none of which the server refuses a part', async () => {
  const refusal = asked('user', { verb: 'create', outcome: failing(403) });

  expect(await chosen({ 'samples/a.yaml': sample('a') }, () => made(1, [refusal]))).toEqual([]);
});

it('adds what the target asks for in vain, if the repository has it', async () => {
  const texts = {
    'samples/a.yaml': sample('a'),
    'other/needed.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: needed\n',
  };
  const inVain = asked('controller', { resource: 'configmaps', name: 'needed', outcome: failing(404) });

  const found = await chosen(texts, (names) => (names.includes('needed') ? made(1) : made(0, [inVain])));

  expect(found.map(({ name, beside }) => [name, beside.length])).toEqual([['samples/a.yaml with ConfigMap needed', 1]]);
});

it('has what does nothing owned by the object that refers to it', async () => {
  const owner =
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: owner\ndata: {}\nref:\n  kind: Release\n  name: a\n---\n';
  const owned = new Map<string, unknown>();

  const [found] = await tryCandidates({
    repository: repositoryOf({ 'samples/a.yaml': `${sample('a')}---\n${owner}` }),
    crds,
    namespace: 'default',
    alone: undefined,
    run: (groups) =>
      Promise.resolve(
        new Map(
          groups.map(({ name, objects }) => {
            const { ownerReferences } = objects.find(({ kind }) => kind === 'Release')?.metadata ?? {};
            owned.set(name, ownerReferences);
            return [name, made(ownerReferences === undefined ? 0 : 1)];
          }),
        ),
      ),
    onTried: () => {},
  });

  expect(found?.name).toBe('samples/a.yaml with ConfigMap owner as owner of Release a');
  expect(owned.get(found?.name ?? '')).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '' }]);
  expect(found?.candidate.objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Release']);
});

it('fills in the variables of a template', async () => {
  const found = await chosen({ 'samples/a.yaml': sample('"${RELEASE_NAME}"') }, (names) =>
    made(names.includes('example') ? 1 : 0),
  );

  expect(found.map(({ candidate }) => [candidate.file, candidate.whole])).toEqual([['samples/a.yaml', false]]);
});

it('puts an object into the namespace in which the target asks for it in vain', async () => {
  const inVain = asked('controller', {
    ...{ resource: 'releases.delivery.example.com', namespace: 'own', name: 'a' },
    outcome: failing(404),
  });

  const found = await tryCandidates({
    repository: repositoryOf({ 'samples/a.yaml': sample('a') }),
    crds,
    namespace: 'default',
    alone: undefined,
    run: (groups) =>
      Promise.resolve(
        new Map(
          groups.map(({ name, objects }) => [
            name,
            objects.some(({ metadata }) => metadata.namespace === 'own') ? made(1) : made(0, [inVain]),
          ]),
        ),
      ),
    onTried: () => {},
  });

  expect(found.map(({ name }) => name)).toEqual(['samples/a.yaml in namespace own']);
});

it('puts what it adds into the namespace in which it is asked for, if it names none', async () => {
  const texts = {
    'samples/a.yaml': sample('a'),
    'other/needed.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: needed\n',
  };
  const inVain = asked('controller', {
    ...{ resource: 'configmaps', namespace: 'own', name: 'needed' },
    outcome: failing(404),
  });

  const found = await chosen(texts, (names) => (names.includes('needed') ? made(1) : made(0, [inVain])));

  expect(found.flatMap(({ beside }) => beside)).toMatchObject([{ metadata: { name: 'needed', namespace: 'own' } }]);
});

it('draws a node that the target asks for in vain', async () => {
  const inVain = asked('controller', { resource: 'nodes', namespace: '', name: 'worker', outcome: failing(404) });

  const found = await chosen({ 'samples/a.yaml': sample('a') }, (names) =>
    names.includes('worker') ? made(1) : made(0, [inVain]),
  );

  expect(found.map(({ beside }) => beside)).toMatchObject([
    [{ kind: 'Node', metadata: { name: 'worker', labels: { 'kubernetes.io/hostname': 'worker' } } }],
  ]);
});

it('adds what a refusal says is not there', async () => {
  const texts = {
    'samples/a.yaml': sample('a'),
    'other/needed.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: needed\n',
  };
  const outcome = {
    type: 'fail',
    code: 403,
    reason: 'Forbidden',
    message: 'denied: ConfigMap "needed" not found',
  } as const;
  const refusal = asked('user', { verb: 'create', outcome });

  const found = await chosen(texts, (names) => made(1, names.includes('needed') ? [] : [refusal]));

  expect(found.map(({ name }) => name)).toEqual(['samples/a.yaml with ConfigMap needed']);
});

it('draws from the schema where no sample has an effect', async () => {
  const found = await chosen({ 'samples/a.yaml': sample('a') }, (names) => made(names.includes('example') ? 1 : 0));

  expect(found.map(({ name }) => name)).toEqual(['Release drawn from the schema']);
});
