import { describe, expect, it } from 'vitest';
import { mutantsOf } from './operators.ts';
import type { MutantFamily } from './operators.ts';

function mutate(source: string, family: MutantFamily): readonly string[] {
  return mutantsOf('controller.ts', source)
    .filter((mutant) => mutant.family === family)
    .map((mutant) => mutant.source);
}

describe('mutation operators', () => {
  it('drop the version from a replace', () => {
    const [mutant] = mutate('await api.replaceThing({ name, body: object });', 'drop-version');

    expect(mutant).toContain('resourceVersion: undefined');
  });

  it('answer a live read from a cache', () => {
    const [mutant] = mutate('const live = await core.readNamespacedPod({ name, namespace });', 'drop-fresh-read');

    expect(mutant).toContain("staleRead(core, 'readNamespacedPod'");
  });

  it('drop uid preconditions', () => {
    const [mutant] = mutate(
      'await api.deleteThing({ name, body: { preconditions: { uid } } });',
      'drop-uid-precondition',
    );

    expect(mutant).toBe('await api.deleteThing({ name, body: { ...{} } });');
  });

  it('remove a guard that returns early, and make a guarded write unconditional', () => {
    expect(mutate('function f() { if (done) return; g(); }', 'drop-predicate')).toEqual(['function f() { ; g(); }']);
    expect(mutate('async function f() { if (needed) { await write(); } }', 'drop-predicate')).toEqual([
      'async function f() { if (true) { await write(); } }',
    ]);
  });

  it('drop the await of a call', () => {
    expect(mutate('async function f() { await write(); }', 'drop-await')).toEqual([
      'async function f() { void write(); }',
    ]);
  });

  it('swap two writes', () => {
    expect(mutate('async function f() { await a(); await b(); }', 'swap-writes')).toEqual([
      'async function f() { await b();\nawait a(); }',
    ]);
  });

  it('find nothing in code without a place for a mistake', () => {
    expect(mutantsOf('controller.ts', 'export const answer = 42;')).toEqual([]);
  });
});
