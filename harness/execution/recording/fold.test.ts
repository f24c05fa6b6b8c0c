import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, Method } from 'stalemate-apiserver/wire/http';
import { deviationsOf } from './deviations.ts';
import { foldHistory } from './fold.ts';
import type { Happening } from './happening.ts';

const PATH = '/api/v1/namespaces/default/configmaps';

function object(name: string, revision: number, more: object = {}): KubeObject {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(revision), ...more };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

/** Records events at intervals of one millisecond. */
class Script {
  readonly happenings: Happening[] = [];
  #exchanges = 0;

  ask(actor: string, method: Method, path: string, query: ApiRequest['query'] = {}, body?: KubeObject): number {
    const exchange = this.#exchanges++;
    const request = { method, path, query, headers: {}, ...(body === undefined ? {} : { body: body as never }) };
    this.happenings.push({ what: 'request', exchange, timeMs: this.#timeMs(), actor, request });
    return exchange;
  }

  answer(exchange: number, code: number, body: object): void {
    this.happenings.push({ what: 'answer', exchange, timeMs: this.#timeMs(), answer: { code, body: body as never } });
  }

  watch(actor: string): number {
    const exchange = this.ask(actor, 'GET', PATH, { watch: '1' });
    this.happenings.push({ what: 'open', exchange, timeMs: this.#timeMs() });
    return exchange;
  }

  event(exchange: number, type: 'ADDED' | 'MODIFIED' | 'DELETED', of: KubeObject): void {
    this.happenings.push({ what: 'event', exchange, timeMs: this.#timeMs(), event: { type, object: of } });
  }

  change(type: 'ADDED' | 'MODIFIED' | 'DELETED', of: KubeObject): void {
    const { name = '', namespace = '', uid = '', resourceVersion } = of.metadata;
    const place = { resource: 'configmaps', namespace, name, uid };
    const change = { type, revision: Number(resourceVersion), ...place, object: of };
    this.happenings.push({ what: 'change', timeMs: this.#timeMs(), change });
  }

  broken(exchange: number): void {
    this.happenings.push({ what: 'end', exchange, timeMs: this.#timeMs(), broken: true });
  }

  #timeMs(): number {
    return this.happenings.length;
  }
}

describe('a recording as a history', () => {
  it('commits a change before anybody is told, for whoever asked, also when it was observed later', () => {
    const script = new Script();
    script.change('ADDED', object('old', 3));
    const create = script.ask('user', 'POST', PATH, {}, object('a', 0));
    script.answer(create, 201, object('a', 7));
    const remove = script.ask('user', 'DELETE', `${PATH}/a`);
    script.answer(remove, 200, { kind: 'Status' });
    script.change('DELETED', object('a', 9));
    script.change('ADDED', object('a', 7));
    script.change('MODIFIED', object('old', 8));

    const { revisions, operations } = foldHistory(script.happenings);

    expect(revisions.map(({ revision, type, actor }) => `${revision} ${type} ${actor}`)).toEqual([
      '3 ADDED environment',
      '7 ADDED user',
      '8 MODIFIED environment',
      '9 DELETED user',
    ]);
    expect(operations.map(({ label, committed }) => [label, committed])).toEqual([
      ['user/create/configmaps/default/a#0', [7]],
      ['user/delete/configmaps/default/a#0', [9]],
    ]);
    const [, added] = revisions;
    expect(added?.at).toBeLessThan(operations[0]?.answered?.at ?? 0);
    expect(added?.at).toBeGreaterThan(operations[0]?.sent?.at ?? Number.POSITIVE_INFINITY);
  });

  it('lays the end of an object at the door of whoever took its last finalizer', () => {
    const script = new Script();
    const dying = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const remove = script.ask('user', 'DELETE', `${PATH}/a`);
    script.answer(remove, 200, object('a', 5, { ...dying, finalizers: ['x'] }));
    script.change('MODIFIED', object('a', 5, { ...dying, finalizers: ['x'] }));
    const update = script.ask('controller', 'PUT', `${PATH}/a`);
    script.answer(update, 200, object('a', 5, dying));
    script.change('DELETED', object('a', 6, dying));

    const { revisions } = foldHistory(script.happenings);

    expect(revisions.map(({ type, actor }) => `${type} ${actor}`)).toEqual(['MODIFIED user', 'DELETED controller']);
  });

  it('names who wrote between what the controller knew and what it wrote, and what came late to it', () => {
    const script = new Script();
    const watch = script.watch('controller');
    script.change('ADDED', object('a', 3));
    script.event(watch, 'ADDED', object('a', 3));
    const other = script.ask('user', 'PUT', `${PATH}/a`, {}, object('a', 3));
    script.answer(other, 200, object('a', 4));
    script.change('MODIFIED', object('a', 4));
    const stale = script.ask('controller', 'PUT', `${PATH}/a`, {}, object('a', 3));
    script.answer(stale, 409, { kind: 'Status', reason: 'Conflict', message: 'changed' });
    script.event(watch, 'MODIFIED', object('a', 4));
    const lost = script.ask('controller', 'PUT', `${PATH}/a`, {}, object('a', 4));
    script.broken(lost);

    const schedule = deviationsOf(foldHistory(script.happenings));

    expect(schedule.preemptions).toEqual([
      {
        before: 'controller/update/configmaps/default/a#0!sent',
        run: 'user',
        until: 'user/update/configmaps/default/a#0!answered',
      },
    ]);
    expect(schedule.holds).toEqual([
      {
        stream: 'controller/watch/configmaps/default#0',
        from: '@1',
        until: 'controller/update/configmaps/default/a#0!answered',
      },
    ]);
    expect(schedule.faults).toEqual([]);
  });
});
