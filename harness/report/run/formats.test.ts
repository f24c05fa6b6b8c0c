import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CampaignResult } from '../../model/finding.ts';
import { runPage } from '../html/run/run-page.ts';
import { STATS, lostUpdate } from '../test-findings.ts';
import { renderAnnotations } from './annotations.ts';
import { runSchema } from './document-schema.ts';
import { FORMATS } from './formats.ts';
import { renderJsonLines } from './json-lines.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import { renderSarif } from './sarif.ts';
import { green, HOSTILE, hostileRun, runOf, withFinding, withKept } from './test-run.ts';
import { all, readXml } from './test-xml.ts';

const texts = fc.string({ unit: 'binary' });

/** Returns a campaign whose only finding was not reproduced in any of five runs on a real server. */
function notConfirmed(): Partial<CampaignResult> {
  const finding = lostUpdate();
  const confirmed = { cluster: 'envtest', server: 'kube-apiserver 1.36.3', reproduced: { k: 0, n: 5 } } as const;
  const counterexample = { ...finding.counterexample, confirmed };
  return { outcome: 'inconclusive', findings: [{ ...finding, counterexample }] };
}

it('says in annotations and code scanning that no real server shows a finding, and makes no error of it', () => {
  const run = runOf(notConfirmed());
  const aside =
    'embedded only, not confirmed: 0 of 5 on envtest (kube-apiserver 1.36.3); reported only, does not fail the run';

  const [whole, finding] = renderAnnotations(run).trim().split('\n');
  expect(whole).toMatch(/^::error .*did not reproduce on a real API server$/);
  expect(finding).toMatch(/^::warning /);
  expect(finding).toContain(aside);
  const { runs } = JSON.parse(renderSarif(run)) as {
    readonly runs: readonly {
      readonly results: readonly { readonly level: string; readonly message: { text: string } }[];
    }[];
  };
  expect(runs[0]?.results).toMatchObject([{ level: 'note', message: { text: expect.stringContaining(aside) } }]);
  expect(renderMarkdown(run)).toContain('embedded only, not confirmed: 0 of 5 on envtest');
});

describe('JUnit', () => {
  it('has a case per property, and one for the campaign', () => {
    const suites = readXml(renderJunit(green()));

    expect(all(suites, 'testcase').map(({ attributes }) => attributes['name'])).toEqual([
      'convergence',
      'no-lost-update',
      'survival',
      'enough was tried',
    ]);
    expect(suites.attributes).toMatchObject({ tests: '4', failures: '0', errors: '0', skipped: '0' });
  });

  it('fails the case of the property with the story and the command', () => {
    const suites = readXml(renderJunit(withFinding()));
    const failed = all(suites, 'testcase').find(({ children }) => children.some(({ name }) => name === 'failure'));
    const [failure] = all(suites, 'failure');

    expect(failed?.attributes).toMatchObject({ name: 'no-lost-update', file: 'src/controller.ts' });
    expect(failure?.attributes['message']).toContain("controller reverted writer-1's acknowledged spec.replicas");
    expect(failure?.text).toContain("✗ writer-1's change is gone");
    expect(failure?.text).toContain('replay: npx stalemate replay out/failures/f.json');
  });

  it('is not green where the campaign is not', () => {
    const untested = { holds: 9, violated: 0, inconclusive: 0, vacuous: true };
    const suites = readXml(renderJunit(runOf({ outcome: 'vacuous', perProperty: { survival: untested } })));

    expect(all(suites, 'skipped')[0]?.attributes['message']).toBe('no run put this property to the test');
    expect(all(suites, 'error')[0]?.attributes['message']).toBe('vacuous: no run put survival to the test');
  });

  it('passes a property of which only pathological findings are told, and tells them', () => {
    const finding = { ...lostUpdate(), stats: { ...STATS, grade: 'pathological' as const } };
    const suites = readXml(renderJunit(runOf({ findings: [finding] })));

    expect(suites.attributes).toMatchObject({ failures: '0' });
    expect(all(suites, 'system-out')[0]?.text).toContain('LOST UPDATE');
  });

  it('is not green where no real server shows what was found, and fails no property for it', () => {
    const suites = readXml(renderJunit(runOf(notConfirmed())));

    expect(suites.attributes).toMatchObject({ failures: '0', errors: '1' });
    expect(all(suites, 'error')[0]?.attributes['message']).toBe(
      'inconclusive: the only finding did not reproduce on a real API server',
    );
    expect(all(suites, 'system-out')[0]?.text).toContain('embedded only, not confirmed: 0 of 5 on envtest');
  });

  it('has a case for each finding that is kept', () => {
    const suites = readXml(renderJunit(withKept()));
    const kept = all(suites, 'testcase').slice(0, 4);

    expect(kept.map(({ attributes, children }) => [attributes['name'], children[0]?.name ?? 'passed'])).toEqual([
      ['kept: good', 'passed'],
      ['kept: back', 'failure'],
      ['kept: stale', 'error'],
      ['kept: aside', 'skipped'],
    ]);
    expect(all(suites, 'failure')[0]).toMatchObject({
      attributes: { message: 'regression: controller reverted back ', type: 'regression' },
      text: expect.stringContaining('replay: npx stalemate corpus run back'),
    });
  });

  it('is well-formed whatever stands in it', () => {
    expect(all(readXml(renderJunit(hostileRun())), 'testcase')).toHaveLength(2);
    const check = fc.property(texts, (text) => void readXml(renderJunit(hostileRun(text))));
    fc.assert(check, { numRuns: 100 });
  });
});

describe('annotations', () => {
  it('point at the file of the controller, with sentence and command', () => {
    const lines = renderAnnotations(withFinding()).split('\n').filter(Boolean);

    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^::error file=src\/controller\.ts,line=1,title=LOST UPDATE \(no-lost-update\)::controller/,
    );
    expect(lines[0]).toContain('replay: npx stalemate replay out/failures/f.json');
  });

  it('are one command each, whatever stands in them', () => {
    const check = fc.property(texts, (text) => {
      const lines = renderAnnotations(hostileRun(text)).split(/[\r\n]/);
      expect(lines).toEqual([expect.stringMatching(/^::error /), '']);
    });
    fc.assert(check, { numRuns: 100 });
    expect(
      renderAnnotations(hostileRun())
        .trimEnd()
        .split(/[\r\n]/),
    ).toHaveLength(1);
  });

  it('name regressions', () => {
    expect(renderAnnotations(withKept())).toMatch(/^::error [^:]*title=regression%3A back::[^\n]*corpus run back\n$/);
  });

  it('say that nothing can be said', () => {
    expect(renderAnnotations(runOf({ outcome: 'interrupted' }))).toContain('::stopped early, after 40 runs');
  });
});

it('tells what the target printed last where there is no verdict, and as nothing but text', () => {
  const run = runOf({ outcome: 'inconclusive', printed: ['no database', HOSTILE] });

  expect(run.scenarios[0]?.printed).toHaveLength(2);
  expect(runOf({ outcome: 'violated', printed: ['no database'] }).scenarios[0]?.printed).toBeUndefined();
  for (const text of [renderMarkdown(run), renderJunit(run), runPage(run, (path) => path)])
    expect(text).toMatch(/The target printed last:\n {2}no database\n/);
  expect(all(readXml(renderJunit(run)), 'testcase')).toHaveLength(4);
});

describe('a run that was interrupted', () => {
  const run = withFinding(lostUpdate(), { besides: 'interrupted' });

  it('is told to be stopped early in every format, also where it has found something', () => {
    expect(run.scenarios[0]).toMatchObject({ outcome: 'violated', stoppedEarly: true });
    expect(runSchema.parse(run)).toEqual(run);
    expect(renderMarkdown(run)).toMatch(/^## stalemate: ❌ 1 finding, stopped early/);
    expect(renderJunit(run)).toContain('<property name="stoppedEarly" value="true"/>');
    expect(renderJsonLines(run).split('\n')[1]).toContain('"stoppedEarly":true');
    expect(runPage(run, (path) => path)).toContain('1 finding, stopped early');
  });

  it('is not told so where it came to its end', () => {
    const ended = withFinding();

    expect(ended.scenarios[0]).not.toHaveProperty('stoppedEarly');
    for (const text of [renderMarkdown(ended), renderJunit(ended), renderJsonLines(ended)])
      expect(text).not.toMatch(/stopped ?early/i);
  });
});

describe('the job summary', () => {
  it('tells figures, sentence, diagram and command', () => {
    const text = renderMarkdown(withFinding());

    expect(text).toContain('## stalemate: ❌ 1 finding');
    expect(text).toContain('| real conflicts (409) | 12 |');
    expect(text).toContain('```mermaid\nsequenceDiagram\n');
    expect(text).toContain('npx stalemate replay out/failures/f.json');
    expect(renderMarkdown(green())).toContain('p &lt; 3/40 = 0.075');
  });

  it('tells what is kept first', () => {
    const text = renderMarkdown(withKept());

    expect(text).toContain('## stalemate: ❌ 1 regression');
    expect(text).toContain('| ❌ | `back` | **regression** controller reverted back');
  });

  it('tells what is waived, and until when', () => {
    const waiver = { property: 'survival', reason: 'waits for #217', expires: '2027-01-31' };
    const text = renderMarkdown(runOf({ waived: [{ waiver, count: 2 }] }));

    expect(text).toContain('> waived: survival, until 2027-01-31 (waits for &#35;217): covered 2 violations');
    expect(text).not.toContain('p &lt;');
  });

  it('draws the guilty write in a frame, between the requests around it', () => {
    expect(renderMarkdown(withFinding())).toContain(
      [
        '  rect rgba(220, 50, 47, 0.18)',
        '    a1->>api: PUT 102 image=v2 replicas=3',
        '    api-->>a1: 103 replicas=3',
        '    Note over a1,api: ✗ writer-1#39;s change is gone',
        '  end',
        '',
      ].join('\n'),
    );
  });

  it('keeps every line of a diagram a line of its grammar', () => {
    const check = fc.property(texts, (text) => {
      for (const line of hostileRun(text).scenarios[0]?.findings[0]?.sequence.split('\n') ?? []) {
        expect(line).toMatch(DIAGRAM_LINE);
      }
    });
    fc.assert(check, { numRuns: 100 });
    for (const line of hostileRun().scenarios[0]?.findings[0]?.sequence.split('\n') ?? []) {
      expect(line).toMatch(DIAGRAM_LINE);
    }
  });

  it('keeps hostile text inside its blocks', () => {
    const outside = renderMarkdown(hostileRun())
      .replaceAll(/^(`{3,})[^`\n]*\n[\s\S]*?^\1$/gm, '')
      .replaceAll(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '');

    expect(outside).not.toContain('<img');
    expect(outside).not.toMatch(/^::|(?<!\\)\]\(javascript|(?<!&)#1|@all/m);
  });

  it('stays below what GitHub takes', () => {
    const many = Array.from({ length: 30 }, () => lostUpdate());
    const long = runOf({ outcome: 'violated', findings: many, warnings: ['w'.repeat(500_000), 'v'.repeat(500_000)] });

    expect(Buffer.byteLength(renderMarkdown(long))).toBeLessThan(1_000_000);
  });
});

/** The lines that {@link sequenceOf} may write: no text after the colon may end a statement or begin another. */
const DIAGRAM_LINE =
  /^$|^sequenceDiagram$|^ +(?:(?:participant|actor) \w+ as |\w+-?->>\w+: |Note over [\w,]+: )(?:[^#;<>&"'`%\\{}|:@\n]|#\d+;)+$|^ +rect rgba\([\d., ]+\)$|^ +end$/;

describe('JSON lines', () => {
  it('are objects that name their version and say what they are', () => {
    const lines = renderJsonLines(hostileRun())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { version: number; type: string });

    expect(lines.map(({ type }) => type)).toEqual(['run', 'scenario', 'property', 'finding']);
    expect(lines.every(({ version }) => version === 1)).toBe(true);
  });
});

describe('SARIF', () => {
  it('has properties as rules and findings as results', () => {
    const log = JSON.parse(renderSarif(withFinding())) as { version: string; runs: readonly object[] };

    expect(log).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'stalemate', rules: [{ id: 'convergence' }, { id: 'no-lost-update' }, {}] } },
          results: [
            {
              ruleId: 'no-lost-update',
              level: 'error',
              partialFingerprints: {
                'stalemateSignature/v1': expect.stringMatching(/^no-lost-update/),
                'stalemateCause/v1': expect.stringMatching(/^no-lost-update/),
              },
              locations: [{ physicalLocation: { artifactLocation: { uri: 'src/controller.ts' } } }],
            },
          ],
        },
      ],
    });
  });
});

it('makes documents that fit their schema, also of hostile texts', () => {
  expect(runSchema.safeParse(withFinding()).error).toBeUndefined();
  expect(runSchema.safeParse(hostileRun()).error).toBeUndefined();
  expect(Object.values(FORMATS).every(({ render }) => render(hostileRun()).endsWith('\n'))).toBe(true);
});
