import { describe, expect, it } from 'vitest';
import { checkTidy } from './check-tidy.ts';

/** Returns the problems in one file with the given text. */
function problems(path: string, text: string): readonly string[] {
  return checkTidy([{ path, text }]).map(({ problem }) => problem);
}

describe('the house lint', () => {
  it.each([
    ['harness/a.test.ts', "it.skip('x', f);"],
    ['harness/a.test.ts', "describe.concurrent.only('x', f);"],
    ['harness/a.test.ts', "test.todo('x');"],
    ['harness/a.test.ts', 'expect(true).toBe(true);'],
    ['harness/a.ts', '// TODO later'],
    ['harness/a.ts', "const worker = new URL('./worker.ts', import.meta.url);"],
    ['harness/a.ts', "throw new Error('not implemented');"],
    ['docs/a.md', 'cd /home/me/stalemate'],
    ['harness/a.ts', "const path = '/root/.kube/config';"],
    ['docs/a.md', 'mounted at /mnt/disk'],
    ['docs/a.md', String.raw`in C:\Users\me`],
    ['docs/a.md', 'made by ../shared/tool'],
    ['package-lock.json', '{"packages":{"":{\n"resolved": "https://registry.example.com/a.tgz"}}}'],
    ['package-lock.json', '{"packages":{"":{"optionalDependencies":{"a-linux-x64":"1.0.0"}}}}'],
    ['package-lock.json', '{"packages":{"node_modules/a":{"version":"1.0.0"}}}'],
    ['helpers/a.ts', 'export const a = 1;'],
    ['docs/a.md', 'what the gate tells'],
    ['harness/a.ts', "console.log('nobody answers');"],
    ['harness/report/html/page/a.js', "show('what would mend it');"],
  ])('complains about %s with %j', (path, text) => {
    expect(problems(path, text)).toHaveLength(1);
  });

  it.each([
    ['harness/a.test.ts', "it('skips what is missing', f);"],
    ['harness/a.ts', "const url = 'https://example.com/home/page';"],
    ['harness/a.test.ts', "const file = new URL('./a.ts', import.meta.url);"],
    ['docs/a.md', 'the controller has a TODO list'],
    ['.ci/run', 'kind_parts=../shared/kind'],
    ['harness/a.ts', '/** What the gate tells. */\nexport const told = 1;'],
    ['harness/a.test.ts', "it('tells which', f);"],
  ])('accepts %s with %j', (path, text) => {
    expect(problems(path, text)).toEqual([]);
  });

  it('limits the length of code, but not of documents', () => {
    expect(problems('harness/a.ts', 'const a = 1;\n'.repeat(450))).toEqual([]);
    expect(problems('harness/a.ts', 'const a = 1;\n'.repeat(451))).toEqual([expect.stringContaining('has 451 lines')]);
    expect(problems('README.md', 'text\n'.repeat(451))).toEqual([]);
  });
});
