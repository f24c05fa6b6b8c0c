/** Run documents for the tests of formats. */
import type { CampaignResult, Finding, PropertyTally } from '../../model/finding.ts';
import type { CorpusSummary, CorpusSummaryEntry } from '../corpus-summary.ts';
import type { StoryInput } from '../story.ts';
import { deployment, findingOf, HistoryScript, lostUpdate, STATS } from '../test-findings.ts';
import type { RunDocument } from './document.ts';
import { makeRun, makeScenario, type ScenarioFacts } from './make-document.ts';

export const FACTS: ScenarioFacts = {
  name: 'controller.ts with Release/web',
  target: 'src/controller.ts',
  cluster: 'embedded',
  budget: '60 s',
  file: 'src/controller.ts',
  properties: [
    { name: 'convergence', about: 'it reaches the state that a fresh copy would make' },
    { name: 'no-lost-update', about: 'an acknowledged change is still visible' },
    { name: 'survival', about: 'no crash' },
  ],
  pathsOf: () => ({ counterexample: 'out/failures/f.json', record: 'out/records/f.json', page: 'out/reports/f.html' }),
};

const TALLY: PropertyTally = { holds: 40, violated: 0, inconclusive: 0, vacuous: false };

export const RESULT: CampaignResult = {
  outcome: 'holds',
  besides: 'holds',
  seed: 7,
  runs: 40,
  verified: 2,
  elapsedMs: 1234,
  contention: { conflicts: 12, staleReads: 3 },
  findings: [],
  warnings: [],
  inconclusive: { count: 0, reasons: {} },
  perProperty: { convergence: TALLY, 'no-lost-update': TALLY, survival: TALLY },
};

export function green(): RunDocument {
  return runOf({});
}

export function withFinding(source: StoryInput = lostUpdate(), more: Partial<CampaignResult> = {}): RunDocument {
  const finding: Finding = { ...source, stats: source.stats ?? STATS };
  return runOf({
    outcome: 'violated',
    findings: [finding],
    perProperty: { ...RESULT.perProperty, 'no-lost-update': { ...TALLY, violated: 3 } },
    ...more,
  });
}

export function runOf(
  result: Partial<CampaignResult>,
  facts: Partial<ScenarioFacts> = {},
  corpus?: CorpusSummary,
): RunDocument {
  const scenario = makeScenario({ ...RESULT, ...result }, { ...FACTS, ...facts }, corpus);
  return makeRun([scenario], { stalemate: '0.1.0', node: '24.0.0' });
}

/** Adds four findings of the corpus: one that holds, a regression, one that is stale, one in quarantine. */
export function withKept(text = ''): RunDocument {
  const entry = (name: string, more: Partial<CorpusSummaryEntry>): CorpusSummaryEntry => ({
    name,
    state: 'fixed',
    outcome: 'holds',
    regression: false,
    property: 'no-lost-update',
    signature: 's',
    sentence: `controller reverted ${name} ${text}`,
    reason: text,
    reproduced: { k: 0, n: 1 },
    missedAnchors: [],
    ...more,
  });
  const entries = [
    entry('good', {}),
    entry('back', { outcome: 'fails', regression: true }),
    entry('stale', { outcome: 'stale' }),
    entry('aside', { state: 'quarantined', outcome: 'fails' }),
  ];
  return runOf({ outcome: 'violated' }, {}, { budgetMs: 1, elapsedMs: 1, entries });
}

/** Everything that one of the formats could interpret as markup or syntax. */
export const HOSTILE: string =
  '</failure></testcase>]]><x a="1" b=\'2\'/>&amp;&#0;\u0000\u0008\uFFFE\uD800 \u202E\u061C\r\n::error file=x::gotcha\n' +
  '::set-output name=a::b%0A\n```\n````\n| a | b |\n<img src=x onerror=alert(1)> [l](javascript:x) @all #1 end; %%{init}%%\nloop x';

/** Returns a run with this text in every place that a user or target controls. */
export function hostileRun(text: string = HOSTILE): RunDocument {
  const script = new HistoryScript();
  const object = deployment(101, text, 3);
  script.contention();
  const made = script.call({
    actor: 'controller',
    verb: 'create',
    resource: 'deployments.apps',
    name: 'web',
    body: object,
    made: object,
    outcome: { type: 'ok', code: 201, object },
  });
  script.process('controller', 'unhandled', text);
  const finding = findingOf(
    script.history({ missed: [text], logs: [{ actor: 'controller', line: text, at: 2, timeMs: 0 }] }),
    {
      signature: { property: 'survival', class: text, actors: ['target'], kind: text, field: text },
      sentence: text,
      operations: [made.id],
    },
  );
  const paths = { counterexample: `out/${text}.json`, record: null, page: null };
  return runOf(
    {
      outcome: 'violated',
      findings: [finding],
      warnings: [text],
      remarks: [{ signature: finding.violation.signature, sentence: text, count: 1 }],
      inconclusive: { count: 1, reasons: { [text]: 1 } },
      contention: { [text]: 1 },
    },
    {
      name: text,
      target: text,
      file: text,
      properties: [{ name: 'survival', about: text }],
      pathsOf: () => paths,
    },
  );
}
