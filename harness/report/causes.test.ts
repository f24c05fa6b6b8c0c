/** A finding with several symptoms: every format reports it once, with all of them. */
import { describe, expect, it } from 'vitest';
import type { Finding, PropertyTally } from '../model/finding.ts';
import { runPage } from './html/run/run-page.ts';
import { findingPage } from './html/index.ts';
import { renderAnnotations } from './run/annotations.ts';
import { symptomOf } from './run/document.ts';
import { renderJsonLines } from './run/json-lines.ts';
import { renderJunit } from './run/junit.ts';
import { renderMarkdown } from './run/markdown.ts';
import { renderSarif } from './run/sarif.ts';
import { FACTS, RESULT, runOf } from './run/test-run.ts';
import { summarise } from './summary.ts';
import { renderSummary } from './summary-text.ts';
import { symptomLines } from './symptoms.ts';
import { tellStory } from './story.ts';
import { renderStory } from './terminal.ts';
import { lostUpdate, STATS } from './test-findings.ts';

const CAUSE = { key: 'write | PUT | deployments.apps | stale', text: 'PUT of deployments.apps, with older content' };
const OLD = lostUpdate();
const { signature } = OLD.violation;
const FOUND: Finding = {
  ...OLD,
  violation: { ...OLD.violation, cause: CAUSE },
  stats: {
    ...STATS,
    count: 12,
    symptoms: [
      { signature, count: 9 },
      { signature: { ...signature, field: 'metadata.labels' }, count: 4 },
      { signature: { ...signature, property: 'convergence', class: 'extra-object', field: '' }, count: 1 },
    ],
  },
};
const FIELDS = 'no-lost-update of deployments.apps: spec.replicas (9 runs), metadata.labels (4)';
const OUTCOME = 'convergence of deployments.apps: extra-object (1 run)';

const TALLY: PropertyTally = { holds: 30, violated: 9, inconclusive: 0, vacuous: false };
const RUN = runOf(
  { outcome: 'violated', findings: [FOUND], perProperty: { ...RESULT.perProperty, convergence: TALLY } },
  FACTS,
);

describe('a cause with several symptoms', () => {
  it('is one finding with the fields that it can lose, in the terminal', () => {
    const summary = summarise({ ...RESULT, outcome: 'violated', findings: [FOUND] }, () => 'x.json');
    const text = renderSummary(summary, { color: false });
    const story = renderStory(tellStory(FOUND), { width: 100, color: false, replay: 'r' });

    expect(text).toContain(`    cause: ${CAUSE.text}\n    shows as ${FIELDS}\n    shows as ${OUTCOME}\n`);
    expect(text.match(/✗/g)).toHaveLength(1);
    expect(story).toContain(` cause: ${CAUSE.text}\n shows as ${FIELDS}\n shows as ${OUTCOME}\n`);
  });

  it('is one failure in JUnit, and what it breaks besides neither fails nor passes', () => {
    const xml = renderJunit(RUN);

    expect(xml).toContain('failures="1"');
    expect(xml).toMatch(/<testcase name="convergence"[^>]*>\s*<skipped message="symptom of finding lost-update-/);
  });

  it('is one entry of every other format, with its cause', () => {
    const markdown = renderMarkdown(RUN);
    const page = runPage(RUN, (path) => path);
    const lines = renderJsonLines(RUN)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string });
    const sarif = JSON.parse(renderSarif(RUN)) as { runs: readonly { results: readonly object[] }[] };

    expect(markdown).toContain('Cause: PUT of deployments.apps, with older content');
    expect(markdown).toMatch(/\| ❌ by `lost-update-[0-9a-f]{6}` \| `convergence`/);
    expect(renderAnnotations(RUN).match(/^::error/gm)).toHaveLength(1);
    expect(renderAnnotations(RUN)).toContain(`cause: ${CAUSE.text}%0Ashows as ${FIELDS}`);
    expect(page).toContain(`<b>Cause</b> ${CAUSE.text}`);
    expect(page).toContain(`shows as ${FIELDS}`);
    expect(findingPage(FOUND, {})).toContain(`shows as ${FIELDS}`);
    expect(lines.filter(({ type }) => type === 'finding')).toMatchObject([
      { cause: CAUSE, symptoms: [{ count: 9 }, {}, {}] },
    ]);
    expect(sarif.runs[0]?.results).toMatchObject([
      {
        partialFingerprints: {
          'stalemateCause/v1': CAUSE.key,
          'stalemateSignature/v1': expect.stringMatching(/^no-lost-update \|/),
        },
      },
    ]);
  });
});

it('says nothing of causes where a finding is of before them, or is a symptom alone', () => {
  const summary = summarise({ ...RESULT, outcome: 'violated', findings: [{ ...OLD, stats: STATS }] }, () => 'x.json');
  const own = { ...FOUND.violation, cause: { key: 'a | b', text: 'a | b' } };

  expect(renderSummary(summary, { color: false })).not.toMatch(/cause:|shows as/);
  expect(tellStory({ ...FOUND, violation: own, stats: STATS })).toMatchObject({ symptoms: [] });
  expect(tellStory({ ...FOUND, violation: own, stats: STATS }).cause).toBeUndefined();
});

it('calls a property broken by another finding only where none is reported of the property itself', () => {
  const scenario = RUN.scenarios[0];
  if (scenario === undefined) throw new Error('one scenario');

  expect(symptomOf({ name: 'convergence' }, scenario)?.property).toBe('no-lost-update');
  expect(symptomOf({ name: 'no-lost-update' }, scenario)).toBeUndefined();
  expect(symptomOf({ name: 'survival' }, scenario)).toBeUndefined();
});

it('counts the fields of a cause beyond the first eight', () => {
  const many = Array.from({ length: 11 }, (_, n) => ({
    ...{ property: 'p', class: 'c', resource: 'r' },
    field: `f${n}`,
    count: 1,
  }));

  expect(symptomLines(many)[0]).toMatch(/^p of r: f0 \(1 run\), .*, f7 \(1\) and 3 more$/);
});

describe('a finding that its one example lets off', () => {
  const notConfirmed = { cluster: 'envtest', server: 's', reproduced: { k: 0, n: 5 } } as const;
  const counterexample = { ...FOUND.counterexample, confirmed: notConfirmed };
  const one = { ...FOUND.stats, symptoms: FOUND.stats.symptoms?.slice(0, 1) ?? [] };
  const told = (finding: Finding): readonly string[] => {
    const run = runOf({ findings: [finding] }, FACTS);
    const summary = summarise({ ...RESULT, findings: [finding] }, () => 'x.json');
    return [
      renderSummary(summary, { color: false }),
      runPage(run, (path) => path),
      renderMarkdown(run),
      renderAnnotations(run),
      renderSarif(run),
    ];
  };

  it.each([
    ['base build', 'new', { ...FOUND, onBase: 'fails' as const }],
    ['real server', 'real', { ...FOUND, counterexample }],
  ])('says wherever it is told that its other symptoms were not tried on the %s', (where, what, finding) => {
    const text = new RegExp(`only the example was tried on (a|the) ${where}, so its 2 other symptoms may be ${what}`);

    for (const each of told(finding)) expect(each).toMatch(text);
    for (const each of told({ ...finding, stats: one })) expect(each).not.toContain('only the example');
  });

  it('says nothing where it fails all the same', () => {
    for (const each of told(FOUND)) expect(each).not.toContain('only the example');
  });
});
