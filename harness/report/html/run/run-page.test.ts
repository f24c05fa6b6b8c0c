import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { lostUpdate, STATS } from '../../test-findings.ts';
import { runSchema } from '../../run/document-schema.ts';
import { green, hostileRun, runOf, withFinding, withKept } from '../../run/test-run.ts';
import { makeRun } from '../../run/make-document.ts';
import { runScript } from '../assets.ts';
import { runPage } from './run-page.ts';

const page = (run: Parameters<typeof runPage>[0]): string => runPage(run, (path) => `to/${path}`);

describe('the page of a run', () => {
  it('leads to the page of each finding, with its sentence and the command', () => {
    const text = page(withFinding());

    expect(text).toMatch(/<h1 class="fails">[^\n]*1 finding<\/h1>/);
    expect(text).toContain('<a href="to/out/reports/f.html">LOST UPDATE');
    expect(text).toContain('npx stalemate replay out/failures/f.json');
  });

  it('says what stands behind a green', () => {
    const text = page(green());

    expect(text).toContain('all properties hold</h1>');
    expect(text).toContain('p &lt; 3/40 = 0.075 (95 %)');
    expect(text).toContain('<dt>stale reads acted upon</dt>');
  });

  it('does not call green what tells nothing, and tells pathological findings without failing', () => {
    expect(page(runOf({ outcome: 'interrupted' }))).toContain('<h1 class="fails">');
    const told = page(runOf({ findings: [{ ...lostUpdate(), stats: { ...STATS, grade: 'pathological' } }] }));
    expect(told).toContain('<h1 class="holds">');
    expect(told).toContain('pathological: reported only');
  });

  it('tells of what is kept, regressions by name', () => {
    const text = page(withKept());

    expect(text).toContain('1 regression</h1>');
    expect(text).toMatch(/✗ fails, a regression<\/b\s*>: <code>back<\/code>/);
    expect(text).toContain('npx stalemate corpus run back');
  });

  it('holds the document, unchanged, and lists several scenarios', () => {
    const run = makeRun([...green().scenarios, ...withFinding().scenarios], { stalemate: '1', node: '24' });
    const text = page(run);
    const data = /<script type="application\/json" id="run-data">([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '';

    expect(runSchema.parse(JSON.parse(data))).toEqual(run);
    expect(run.outcome).toBe('violated');
    expect(text).toContain('href="#scenario-1"');
  });

  it('keeps hostile text what it is, and fetches nothing', () => {
    const text = page(
      hostileRun('</script><script>alert(1)</script><img src=x onerror=alert(2)>" onclick="x\u202E\u061C'),
    );

    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text).not.toMatch(/<img|\sonclick="|(?:src|href)="https?:/);
    expect(text.slice(0, text.indexOf('<script'))).not.toMatch(/[\u202E\u061C]/);
    expect(() => new Script(runScript())).not.toThrow();
  });
});
