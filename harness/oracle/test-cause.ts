/** What tests of causes share: a violation, and a history in which the target has read a widget. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { History } from '../model/history.ts';
import type { Violation } from '../model/check-result.ts';
import { causesNamed } from './cause.ts';
import { historyBuilder, manifest, type HistoryBuilder } from './test-history.ts';

export const KIND = 'widgets.example.com';

export function violation(signature: Partial<Violation['signature']>, parts: Partial<Violation> = {}): Violation {
  return {
    signature: {
      property: 'no-lost-update',
      class: 'carried-back',
      actors: ['target'],
      kind: KIND,
      field: '',
      ...signature,
    },
    sentence: 's',
    operations: [],
    revisions: [],
    at: 0,
    severity: 'error',
    ...parts,
  };
}

export function started(spec: KubeObject['spec'] = { replicas: 1 }): { built: HistoryBuilder; read: KubeObject } {
  const built = historyBuilder();
  built.create('user', KIND, manifest('Widget', 'a', { spec: spec ?? null, status: {} }));
  built.phase('contention');
  return { built, read: built.get('controller', KIND, 'a') };
}

/** Returns the key of the cause that a violation names by itself. */
export function keyOf(history: History, one: Violation): string | undefined {
  return causesNamed(history, one)[0]?.key;
}
