import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { ownCause } from '../model/cause.ts';
import type { ExpectedState } from '../model/probe.ts';
import type { History } from '../model/history.ts';
import { causesNamed, causesOf, namedOnceSmall, otherNames } from './cause.ts';
import { KIND, keyOf, started, violation } from './test-cause.ts';
import { historyBuilder, manifest, ownedBy, type Call } from './test-history.ts';

function versionless({ metadata: { resourceVersion: _version, ...metadata }, ...rest }: KubeObject): KubeObject {
  return { ...rest, metadata };
}

describe('the cause of a lost update', () => {
  it('is the request and whether it was checked, whichever field was lost', () => {
    const { built, read } = started();
    built.edit('writer-1', KIND, 'a', ['spec', 'replicas'], 3);
    const { id } = built.update('controller', KIND, versionless(read));
    const history = built.build();

    const [one, other] = ['spec.replicas', 'metadata.labels'].map((field) =>
      keyOf(history, violation({ field }, { operations: [id] })),
    );

    expect(one).toBe('write | PUT without a version | widgets.example.com | stale');
    expect(other).toBe(one);
    expect(keyOf(history, violation({ class: 'blind-overwrite' }, { operations: [id] }))).toBe(one);
  });

  it('is told apart by what it did where two updates are alike but for that', () => {
    const { built, read } = started();
    const { id } = built.update('controller', KIND, read);
    const history = built.build();

    const stale = keyOf(history, violation({ class: 'carried-back' }, { operations: [id] }));
    const drops = keyOf(history, violation({ class: 'removed-foreign' }, { operations: [id] }));
    const claims = keyOf(
      history,
      violation({ property: 'truthful-status', class: 'not-acted-upon' }, { operations: [id] }),
    );

    expect(new Set([stale, drops, claims]).size).toBe(3);
    expect(keyOf(history, violation({ class: 'rebuilt' }, { operations: [id] }))).toBe(drops);
  });

  it('drops what is gone where its watch had told of it, may do either where that came late, and is old where set back', () => {
    const keysOf = (told: 'before' | 'late' | 'after a refusal', labels: Readonly<Record<string, string>>): unknown => {
      const { built, read } = started();
      if (told === 'after a refusal')
        built.begin('controller', 'update', KIND, 'a', { body: read }).fail(409, 'Conflict');
      const set = built.edit('writer-1', KIND, 'a', ['metadata', 'labels'], { team: 'x' });
      if (told !== 'late') built.deliver('controller', KIND);
      const fresh = built.get('controller', KIND, 'a');
      const put = built.update('controller', KIND, { ...fresh, metadata: { ...fresh.metadata, labels } });
      const revisions = [...set.committed, ...put.committed];
      const lost = violation({ field: 'metadata.labels' }, { operations: [put.id, set.id], revisions });
      return causesNamed(built.build(), lost).map(({ key }) => key.split(' | ').at(-1));
    };

    expect(keysOf('before', {})).toEqual(['drops']);
    expect(keysOf('late', {})).toEqual(['drops', 'stale']);
    expect(keysOf('after a refusal', {})).toEqual(['stale', 'drops']);
    expect(keysOf('before', { team: 'y' })).toEqual(['stale']);
  });

  it('is another one where the version was left out, for a subresource, and for a patch', () => {
    const { built, read } = started();
    const ids = [
      built.update('controller', KIND, read),
      built.update('controller', KIND, versionless(built.get('controller', KIND, 'a'))),
      built.update('controller', KIND, built.get('controller', KIND, 'a'), 'status'),
      built.patch('controller', KIND, 'a', { spec: { replicas: 2 } }),
      built.patch('controller', KIND, 'a', { metadata: { finalizers: [] } }),
      built.patch('controller', KIND, 'a', [{ op: 'replace', path: '/spec/replicas', value: 2 }]),
      built.patch(
        'controller',
        KIND,
        'a',
        {},
        { contentType: 'application/apply-patch+yaml', query: { force: 'true' } },
      ),
    ].map(({ id }) => id);
    const history = built.build();

    const keys = ids.map((id) => keyOf(history, violation({}, { operations: [id] })));

    expect(keys.map((key) => key?.split(' | ').slice(1, 3).join(' '))).toEqual([
      'PUT widgets.example.com',
      'PUT without a version widgets.example.com',
      'PUT widgets.example.com/status',
      'merge patch widgets.example.com',
      'merge patch widgets.example.com metadata.finalizers',
      'JSON patch widgets.example.com',
      'forced apply widgets.example.com',
    ]);
  });

  it('is one for a patch without a version, whether it had seen what it drops or not', () => {
    const { built } = started();
    const { id } = built.patch('controller', KIND, 'a', { metadata: { finalizers: [] } });
    const history = built.build();

    const keys = ['carried-back', 'removed-foreign', 'blind-overwrite'].map((kind) =>
      keyOf(history, violation({ class: kind }, { operations: [id] })),
    );

    expect(new Set(keys).size).toBe(1);
  });

  it('is also that of a generation reported for an object of the same name that is gone', () => {
    const { built } = started();
    built.delete('user', KIND, 'a');
    built.create('user', KIND, manifest('Widget', 'a', { spec: { replicas: 1 } }));
    const { id } = built.patch(
      'controller',
      KIND,
      'a',
      { status: { observedGeneration: 2 } },
      { subresource: 'status' },
    );
    const history = built.build();
    const ahead = violation({ property: 'truthful-status', class: 'ahead-of-generation' }, { operations: [id] });

    expect(keyOf(history, ahead)).toBe(keyOf(history, violation({}, { operations: [id] })));
    expect(
      keyOf(history, violation({ property: 'truthful-status', class: 'not-acted-upon' }, { operations: [id] })),
    ).not.toBe(keyOf(history, ahead));
  });
});

it('takes a small run that may be of two causes for what the large run was, and one of another cause for that', () => {
  const [stale, drops, other] = ['stale', 'drops', 'other'].map((key) => ({ key, text: '' }));
  if (stale === undefined || drops === undefined || other === undefined) throw new Error('three');
  const large = { candidates: [drops], certain: true } as const;

  expect(namedOnceSmall(large, [stale, drops])).toEqual([drops, stale]);
  expect(namedOnceSmall(large, [other])).toEqual([other]);
  expect(namedOnceSmall(large, [])).toEqual([drops]);
});

describe('the cause of an outcome', () => {
  const AT_REST = { property: 'convergence', class: 'wrong-value', field: 'spec.replicas' } as const;

  it('is the guilty write of the same run that wrote the field', () => {
    const { built, read } = started();
    built.edit('writer-1', KIND, 'a', ['spec', 'replicas'], 3);
    const write = built.update('controller', KIND, versionless(read));
    const history = built.build();
    const lost = violation({ field: 'spec.replicas' }, { operations: [write.id] });
    const revisions = [...write.committed];

    const [, mine, other, claim] = causesOf(history, [
      lost,
      violation(AT_REST, { revisions }),
      violation({ ...AT_REST, field: 'spec.color' }, { revisions }),
      violation({ property: 'own-claim', class: 'broken-always' }, { operations: [write.id], revisions }),
    ]);

    expect(mine?.candidates[0].key).toBe(keyOf(history, lost));
    expect(claim?.candidates[0].key).toBe(keyOf(history, lost));
    expect(other?.candidates.map(({ key }) => key)).toEqual(['missed | widgets.example.com']);
    expect([mine, other, claim].map((causes) => causes?.certain)).toEqual([false, false, false]);
  });

  it('is a write that carried an older value over, where nothing else is known of it', () => {
    const { built, read } = started();
    built.edit('writer-1', KIND, 'a', ['spec', 'replicas'], 3);
    const write = built.update('controller', KIND, versionless(read));

    const [causes] = causesOf(built.build(), [violation(AT_REST, { revisions: [...write.committed] })]);

    expect(causes?.candidates[0].key).toBe('write | PUT without a version | widgets.example.com | stale');
  });

  it('is no write that follows another client, which has set a value back in another object', () => {
    const keyAfter = (actor: string, count: number, before = 1): unknown => {
      const { built, read } = started();
      built.create('user', 'orders', manifest('Order', 'o', { spec: { count: before } }));
      built.edit('user', 'orders', 'o', ['spec', 'count'], 3);
      built.edit('controller', KIND, 'a', ['spec', 'replicas'], 3);
      built.edit(actor, 'orders', 'o', ['spec', 'count'], count);
      const write = built.update('controller', KIND, versionless(read));
      const [causes] = causesOf(built.build(), [violation(AT_REST, { revisions: [...write.committed] })]);
      return causes?.candidates[0].key;
    };
    const blamed = 'write | PUT without a version | widgets.example.com | stale';

    expect(keyAfter('user', 1)).toBe('missed | widgets.example.com');
    expect(keyAfter('user', 4)).toBe(blamed);
    expect(keyAfter('gc', 1)).toBe(blamed);
    expect(keyAfter('user', 1, 2)).toBe(blamed);
  });

  it('is no patch with which the target removes what it has set itself and has received', () => {
    const { built } = started();
    built.append('controller', KIND, 'a', ['metadata', 'finalizers'], 'own/f');
    built.get('controller', KIND, 'a');
    const removal = built.patch('controller', KIND, 'a', { metadata: { finalizers: null } });

    const [causes] = causesOf(built.build(), [
      violation({ ...AT_REST, field: 'metadata.finalizers["own/f"]' }, { revisions: [...removal.committed] }),
    ]);

    expect(causes?.candidates.map(({ key }) => key)).toEqual(['missed | widgets.example.com']);
  });

  it('is the request that failed for good, of those about the same object first, and none that was made good', () => {
    const { built, read } = started();
    built.begin('controller', 'update', KIND, 'a', { body: read, subresource: 'status' }).fail(500);
    built.begin('controller', 'update', 'things', 'b', { body: read }).fail(409, 'Conflict');
    built.begin('controller', 'get', 'things', 'b').fail(404, 'NotFound');
    built.begin('controller', 'create', 'roles', 'r', { body: {} }).fail(403, 'Forbidden');
    built.begin('controller', 'patch', KIND, 'a', { body: {} }).fail(500);
    built.update('controller', KIND, built.get('controller', KIND, 'a'));

    const [causes] = causesOf(built.build(), [violation(AT_REST)]);

    expect(causes?.candidates.map(({ key }) => key)).toEqual([
      'given up | update widgets.example.com/status | an error',
      'given up | update things | a conflict',
      'work given up | widgets.example.com',
      'missed | widgets.example.com',
    ]);
    expect(causes === undefined ? [] : otherNames(causes.candidates)).toEqual([
      'work given up | widgets.example.com',
      'given up | update widgets.example.com/status | a conflict',
      'given up | update widgets.example.com/status | a lost answer',
    ]);
  });

  it.each([
    ['created after all', 201, ''],
    ['found to exist', 409, 'AlreadyExists'],
  ])('is no create that failed once and whose object was %s', (_, code, reason) => {
    const { built } = started();
    const create = (name: string): Call =>
      built.begin('controller', 'create', 'things', name, { body: manifest('Thing', name) });
    const keys = (): readonly string[] =>
      causesOf(built.build(), [violation(AT_REST)])[0]?.candidates.map(({ key }) => key) ?? [];
    create('x').fail(503, 'ServiceUnavailable');
    if (code === 201) built.create('controller', 'things', manifest('Thing', 'x'));
    else create('x').fail(code, reason);

    expect(keys()).toEqual([`missed | ${KIND}`]);

    create('another').fail(503, 'ServiceUnavailable');

    expect(keys()).toContain('given up | create things | an error');
  });

  it('is no create that was given up of what the expected state does not have either', () => {
    const { built } = started();
    built.begin('controller', 'create', 'things', 'x', { body: manifest('Thing', 'x') }).fail(422, 'Invalid');
    const history = built.build();
    const keys = (objects: ExpectedState['objects']): readonly string[] => {
      const probes: History['probes'] = [{ probe: 'expected-state', settled: true, outcomes: [{ objects }] }];
      return causesOf({ ...history, probes }, [violation(AT_REST)])[0]?.candidates.map(({ key }) => key) ?? [];
    };

    expect(keys({})).not.toContain('given up | create things | an error');
    expect(keys({ 'things/default/x': manifest('Thing', 'x') })).toContain('given up | create things | an error');
  });

  it('has a name for all requests at which the work on an object stops, but not where one dropped conflict is all', () => {
    const conflictOf = (resource: string): readonly string[] => {
      const { built, read } = started();
      built.begin('controller', 'update', resource, 'a', { body: read }).fail(409, 'Conflict');
      const [causes] = causesOf(built.build(), [violation(AT_REST)]);
      const names = causes === undefined ? [] : otherNames(causes.candidates);
      return names.filter((name) => name.startsWith('work'));
    };

    expect(conflictOf(KIND)).toEqual([]);
    expect(conflictOf('things')).toEqual(['work given up | widgets.example.com']);
  });

  it('is no request of a life that was killed', () => {
    const { built, read } = started();
    built.begin('controller', 'update', KIND, 'a', { body: read }).lose();
    built.process('controller', 'crashed');

    const [causes] = causesOf(built.build(), [violation({ ...AT_REST, property: 'crash-equivalence' })]);

    expect(causes?.candidates.map(({ key }) => key)).toEqual([
      'restart | widgets.example.com',
      'missed | widgets.example.com',
    ]);
  });

  it('is the watch that was given up, and the end of the process, whatever else they lead to', () => {
    const { built } = started();
    const deaf = violation({ property: 'convergence', class: 'stopped-watching', kind: 'pods' });
    const gone = violation({ property: 'survival', class: 'panic', kind: '' });
    const stuck = violation({ property: 'deletion-completes', class: 'never-finished' });

    expect(causesOf(built.build(), [deaf, stuck])[1]?.candidates[0].key).toBe('watch | ended');
    expect(causesOf(built.build(), [stuck, gone])[0]?.candidates[0].key).toBe('process ends | panic');
    expect(causesOf(built.build(), [stuck])[0]?.candidates[0].key).toBe('never finished | widgets.example.com');
  });

  it('is a watch that ends on errors, not on expiry, where the target lists again and gives up when that fails', () => {
    const deaf = violation({ property: 'convergence', class: 'stopped-watching' });
    const { built } = started();
    built.call('controller', 'watch', KIND, '');
    built.endStream('controller', KIND, 'expired');
    const key = (): string | undefined => causesOf(built.build(), [deaf])[0]?.candidates[0].key;

    expect(key()).toBe('watch | expired');
    built.begin('controller', 'list', KIND, '').fail(500);
    expect(key()).toBe('watch | ended');
  });

  it('is what it makes of the object that was applied, where no request stands out, whatever that shows in', () => {
    const { built } = started();
    const owner = built.live(KIND, 'a');
    built.create('controller', 'pods', manifest('Pod', 'p', {}, { ownerReferences: [ownedBy(owner)] }));
    const [inStatus, inChildren, many] = [
      violation(AT_REST),
      violation({ property: 'convergence', class: 'missing-object', kind: 'pods' }),
      violation({ property: 'cardinality', class: 'too-many-children', kind: 'pods' }),
    ].map((each) => causesOf(built.build(), [each])[0]?.candidates ?? ([ownCause(each)] as const));

    expect(inStatus?.map(({ key }) => key)).toEqual(['missed | widgets.example.com']);
    expect(inChildren?.map(({ key }) => key)).toEqual(['missed | widgets.example.com', 'children | pods']);
    expect(inChildren === undefined ? [] : otherNames(inChildren)).toEqual([many?.[0].key]);
  });

  it('is a watch by how it went, not by what it was of: an expired one is another cause than a broken one', () => {
    const keys = (['expired', 'closed'] as const).map((why) => {
      const { built } = started();
      built.call('controller', 'watch', 'pods', '');
      built.endStream('controller', 'pods', why);
      const deaf = violation({ property: 'convergence', class: 'stopped-watching', kind: 'pods' });
      return keyOf(built.build(), deaf);
    });

    expect(keys).toEqual(['watch | expired', 'watch | ended']);
  });

  it('is no watch of a certain resource: two that are given up in the same way are one, and its symptoms name both', () => {
    const { built } = started();
    const deaf = ['pods', 'secrets'].map((kind) => {
      built.call('controller', 'watch', kind, '');
      built.endStream('controller', kind, 'closed');
      return violation({ property: 'convergence', class: 'stopped-watching', kind });
    });

    const causes = deaf.flatMap((one) => causesNamed(built.build(), one));

    expect(causes).toHaveLength(2);
    expect(causes[0]).toEqual(causes[1]);
  });

  it('is how the watch of its own resource ended, not how another one did', () => {
    const { built } = started();
    built.call('controller', 'watch', 'pods', '');
    built.endStream('controller', 'pods', 'expired');
    built.call('controller', 'watch', KIND, '');
    built.endStream('controller', KIND, 'closed');
    const deaf = violation({ property: 'convergence', class: 'stopped-watching' });

    expect(keyOf(built.build(), deaf)).toBe('watch | ended');
  });

  it('tells ways for a process to end apart', () => {
    const { built } = started();
    const keys = ['panic', 'unhandled-rejection'].map((kind) =>
      keyOf(built.build(), violation({ property: 'survival', class: kind, kind: '' })),
    );

    expect(new Set(keys).size).toBe(2);
  });

  it('is the clean-up, whichever of its requests failed', () => {
    const built = historyBuilder();
    built.create('user', KIND, manifest('Widget', 'a', {}, { finalizers: ['x/y'] }));
    built.phase('contention').delete('user', KIND, 'a');
    built.begin('controller', 'get', 'secrets', 's').fail(500);
    built.begin('controller', 'delete', 'pods', 'p').fail(409, 'Conflict');

    const [causes] = causesOf(built.build(), [violation({ property: 'deletion-completes', class: 'never-finished' })]);

    expect(causes?.candidates.map(({ key }) => key)).toEqual([
      'given up | clean-up of widgets.example.com',
      'never finished | widgets.example.com',
    ]);
  });

  it('may be a second replica, where there was one', () => {
    const { built, read } = started();
    built.update('controller', KIND, read);
    const { id } = built.update('controller~2', KIND, built.get('controller~2', KIND, 'a'));
    const loop = violation({ property: 'bounded-rate', class: 'hot-loop' }, { operations: [id] });

    const causes = causesOf(built.build(), [violation(AT_REST), loop]);

    expect(causes.map(({ candidates: [first] }) => first.key)).toEqual(['two leaders', 'two leaders']);
    expect(causes[1]).toMatchObject({ certain: false, candidates: [{}, { key: 'loop | update widgets.example.com' }] });
  });
});
