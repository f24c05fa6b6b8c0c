import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allMutants, mutantsOf, ROOT } from './generate.ts';
import { IDIOMS } from './operators/idioms.ts';
import { SOURCES } from './sources.ts';
import { LANGUAGES, parseSource } from './syntax.ts';

const mutants = allMutants();

describe('mutants', () => {
  it('have unique ids', () => {
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
  });

  it('come from ten controllers in five languages, by every operator', () => {
    expect(new Set(mutants.map(({ source }) => source.controller)).size).toBe(10);
    expect(new Set(mutants.map(({ source }) => source.language))).toEqual(new Set(LANGUAGES));
    expect(new Set(mutants.map(({ operator }) => operator))).toEqual(new Set(Object.keys(IDIOMS)));
  });

  it('differ from each other, and from their original', () => {
    const texts = new Set(SOURCES.flatMap(({ files }) => files).map((file) => readFileSync(ROOT + file, 'utf8')));
    const originals = texts.size;
    for (const { text } of mutants) texts.add(text);
    expect(texts.size).toBe(originals + mutants.length);
  });

  it.each(LANGUAGES)('in %s change only one declaration', (language) => {
    for (const { id, source, file, edits, text } of mutants) {
      if (source.language !== language) continue;
      const original = readFileSync(ROOT + file, 'utf8');
      const inside = edits.filter(({ startPos }) => startPos > 0);
      const [from, to] = [
        Math.min(...inside.map((edit) => edit.startPos)),
        Math.max(...inside.map((edit) => edit.endPos)),
      ];
      const around = parseSource(language, original)
        .children()
        .filter((declaration) => {
          const { start, end } = declaration.range();
          return start.index < to && from < end.index;
        });
      expect([id, Math.max(around.length, 1)]).toEqual([id, 1]);
      expect([id, text.endsWith(original.slice(to))]).toEqual([id, true]);
      expect([id, text.includes(original.slice(0, from))]).toEqual([id, true]);
    }
  });

  it('keep their ids if functions are added before them', () => {
    for (const source of SOURCES.filter(({ controller }) => controller === 'disks')) {
      const added = `function first(a: boolean, b: boolean): void {\n  if (a && b) return;\n}\n`;
      const idsOf = (read?: (file: string) => string): readonly string[] => mutantsOf(source, read).map(({ id }) => id);
      const ids = new Set(idsOf((file) => added + readFileSync(ROOT + file, 'utf8')));
      expect(idsOf().filter((id) => !ids.has(id))).toEqual([]);
    }
  });
});

describe('an operator', () => {
  const [source] = SOURCES.filter(({ controller }) => controller === 'disks');
  const mutate = (code: string): ReadonlyMap<string, string> => {
    if (source === undefined) throw new Error('there is no such controller');
    const made = mutantsOf({ ...source, files: ['disks/a.ts'] }, () => code);
    return new Map(made.map(({ id, text }) => [id, text]));
  };

  it('removes a guard about the deletion of an object, where that cannot be taken back, and no other guard', () => {
    const made = (write: string): readonly string[] =>
      [
        ...mutate(
          `async function f() {\n  if (isDone(x)) return;\n  if (isTerminating(x)) return;\n  await ${write}(x);\n}\n`,
        ),
      ].flatMap(([id, text]) => (id.includes('drops-guard') ? [text] : []));
    expect(made('cleanUp')).toEqual(['async function f() {\n  if (isDone(x)) return;\n  ;\n  await cleanUp(x);\n}\n']);
    expect(made('write')).toEqual([]);
  });

  it('drops each operand about the identity of an object once, and no other operand', () => {
    const texts = [...mutate('function f() {\n  return a.uid === b && isCurrent(a) && c;\n}\n').values()];
    expect(texts.map((text) => /return (.*);/.exec(text)?.[1])).toEqual(['a.uid === b && c', 'isCurrent(a) && c']);
  });

  it('drops all preconditions at once: each alone is covered by the other', () => {
    const texts = mutate('async function f() {\n  await g({ preconditions: { uid, resourceVersion } });\n}\n');
    expect(texts.get('disks/drops-precondition@f#1')).toContain('g({ preconditions: {} })');
  });

  it('swaps two steps if one of them cannot be taken back', () => {
    const swapped = (one: string, two: string): string | undefined =>
      mutate(`async function f() {\n  ${one};\n  ${two};\n}\n`).get('disks/swaps-steps@f#1');
    const [cleanUp, release] = ['await cleanUp()', 'await removeFinalizer()'];
    expect(swapped(cleanUp, release)).toBe(`async function f() {\n  ${release};\n  ${cleanUp};\n}\n`);
    expect(swapped('await write()', 'await report()')).toBeUndefined();
  });

  it('swallows a conflict, or takes an object for a living one, where that cannot be taken back', () => {
    const made = (code: string): readonly string[] =>
      [...mutate(`async function f() {\n${code}\n}\n`).keys()].filter((id) => /conflict|terminating/.test(id));
    const write = '  await replace(pool);';
    const guard = '  if (isTerminating(pool) && a) await work();';
    expect(made(`${write}\n  await report(pool);\n${guard}`)).toEqual([]);
    expect(made(`${write}\n  await removeFinalizers(pool);\n${guard}`)).toEqual([
      'disks/ignores-terminating@f#1',
      'disks/swallows-conflict@f#1',
    ]);
  });

  it('reads the cache', () => {
    const texts = mutate('async function f() {\n  const live = await readLive(custom, pool);\n  return live;\n}\n');
    expect(texts.get('disks/reads-cache@f#1')).toContain('const live = (pool as typeof pool | undefined);');
  });
});
