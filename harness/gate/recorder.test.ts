/** Tests which operation a committed change is attributed to. */
import { describe, expect, it } from 'vitest';
import { Naming } from './naming.ts';
import { Recorder, type ObservedChange, type OpenOperation } from './recorder.ts';

function operation(id: number): OpenOperation {
  return {
    ...{ id, actor: `writer-${id}`, label: `writer-${id}/update#0`, verb: 'update', query: {}, committed: [] },
    ...{ resource: 'configmaps', version: 'v1', subresource: '', namespace: 'default', name: 'a' },
    ...{ invoked: { at: 0, timeMs: 0 }, outcome: { type: 'pending' } },
  };
}

function change(revision: number): ObservedChange {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  return { revision, type: 'MODIFIED', resource: 'configmaps', namespace: 'default', name: 'a', uid: 'u', object };
}

function recorded(): Recorder {
  return new Recorder(() => 0, new Naming());
}

describe('a committed change', () => {
  it('belongs to the operation that is executed meanwhile, and otherwise to the environment', () => {
    const recorder = recorded();
    const writes = operation(1);

    recorder.acting(writes, undefined, () => recorder.committed(change(5)));
    recorder.committed(change(6));

    expect(writes.committed).toEqual([5]);
    expect(recorder.revisions.map(({ op, actor }) => [op, actor])).toEqual([
      [1, 'writer-1'],
      [-1, 'environment'],
    ]);
  });

  it('belongs to the operation that is continued, also while another one is executed', () => {
    const recorder = recorded();
    const [asked, other] = [operation(1), operation(2)];
    let resume = (act: () => void): void => act();
    recorder.acting(asked, undefined, () => (resume = recorder.resumable()));

    recorder.acting(other, undefined, () => {
      resume(() => recorder.committed(change(5)));
      recorder.committed(change(6));
    });

    expect([asked.committed, other.committed]).toEqual([[5], [6]]);
  });

  it('belongs to the operation that was executed when its recorder was taken', () => {
    const recorder = recorded();
    const writes = operation(1);
    let commit: ReturnType<Recorder['attributing']> = () => {};
    recorder.acting(writes, undefined, () => (commit = recorder.attributing()));

    commit(change(5));

    expect(writes.committed).toEqual([5]);
  });

  it('never has two operations to belong to', () => {
    const recorder = recorded();

    const nested = (): void =>
      recorder.acting(operation(1), undefined, () => recorder.acting(operation(2), undefined, () => {}));

    expect(nested).toThrow(
      'one operation acts at a time: writer-2/update#0 is sent while writer-1/update#0 is executed',
    );
    expect(() => recorder.acting(operation(3), undefined, () => {})).not.toThrow();
  });
});
