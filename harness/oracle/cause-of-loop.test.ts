import { describe, expect, it } from 'vitest';
import { causesNamed, causesOf, otherNames } from './cause.ts';
import { KIND, keyOf, started, violation } from './test-cause.ts';
import { manifest } from './test-history.ts';

describe('the cause of a loop', () => {
  it('is no second replica that has only read', () => {
    const { built, read } = started();
    built.get('controller~2', KIND, 'a');
    const { id } = built.update('controller', KIND, read);
    const loop = violation({ property: 'bounded-rate', class: 'hot-loop' }, { operations: [id] });

    expect(causesOf(built.build(), [loop])[0]?.candidates.map(({ key }) => key)).toEqual([
      'loop | update widgets.example.com',
    ]);
  });

  it('is what it writes, however often it reads in between', () => {
    const { built } = started();
    const read = [1, 2].map(() => built.call('controller', 'get', KIND, 'a').id);
    const { id } = built.patch('controller', KIND, 'a', { status: { n: 1 } }, { subresource: 'status' });
    const history = built.build();

    expect(
      keyOf(history, violation({ property: 'bounded-rate', class: 'hot-loop' }, { operations: [...read, id] })),
    ).toBe('loop | patch widgets.example.com/status');
  });

  it('is the request that is sent most, and another one where that fails each time', () => {
    const { built } = started();
    const ok = [1, 2, 3].map(
      (n) => built.patch('controller', KIND, 'a', { status: { n } }, { subresource: 'status' }).id,
    );
    const failed = [1, 2].map(() => built.begin('controller', 'patch', KIND, 'a', { body: {} }).fail(500).id);
    const read = built.call('controller', 'get', KIND, 'a').id;
    const history = built.build();
    const loop = violation({ property: 'bounded-rate', class: 'busy-at-rest' }, { operations: [read, ...ok] });

    expect(causesNamed(history, loop).map(({ key }) => key)).toEqual(['loop | patch widgets.example.com/status']);
    expect(keyOf(history, violation({ property: 'bounded-rate', class: 'no-back-off' }, { operations: failed }))).toBe(
      'retries | patch widgets.example.com',
    );
  });

  it('has one name for all deletes that are repeated, whatever they are answered, and none for other requests', () => {
    const namesOf = (verb: 'delete' | 'update', resource: string): readonly string[] => {
      const { built } = started();
      const { id } = built.begin('controller', verb, resource, 'x').fail(503, 'ServiceUnavailable');
      const loop = violation({ property: 'bounded-rate', class: 'no-back-off' }, { operations: [id] });
      const [causes] = causesOf(built.build(), [loop]);
      return causes === undefined ? [] : [causes.candidates[0].key, ...otherNames(causes.candidates)];
    };

    expect(namesOf('delete', 'pods')).toEqual(['retries | delete pods', 'deletes repeated']);
    expect(namesOf('delete', 'secrets')).toEqual(['retries | delete secrets', 'deletes repeated']);
    expect(namesOf('update', 'pods')).toEqual(['retries | update pods']);
  });

  it('is one for all deletes of objects that are gone', () => {
    const { built } = started();
    const keys = ['pods', 'secrets'].map((resource) => {
      const { id } = built.begin('controller', 'delete', resource, 'x').fail(404, 'NotFound');
      return keyOf(built.build(), violation({ property: 'bounded-rate', class: 'no-back-off' }, { operations: [id] }));
    });

    expect(keys[0]).toBe(keys[1]);
  });

  it('is too many children, where it makes them and takes them away', () => {
    const { built } = started();
    const pod = built.create('controller', 'pods', manifest('Pod', 'p'));
    const { id } = built.delete('controller', 'pods', pod.metadata.name ?? '');
    const many = violation({ property: 'cardinality', class: 'too-many-children', kind: 'pods' });
    const loop = violation({ property: 'bounded-rate', class: 'hot-loop' }, { operations: [id] });

    const [, causes] = causesOf(built.build(), [many, loop]);

    expect(causes?.candidates.map(({ key }) => key)).toEqual(['children | pods', 'loop | delete pods']);
  });
});
