/**
 * Renders a run as JUnit XML: a suite per scenario, a case per property, whose failure is the one-screen story with the replay command.
 *
 * The names of cases do not depend on findings, so that a CI system can track them from build to build. A property that was not exercised
 * counts as skipped, and a campaign without findings that is not green has an error in a case of its own.
 */
import {
  asideText,
  failing,
  keptCommand,
  type KeptFinding,
  notGreen,
  type PropertyLine,
  type ReportedFinding,
  type RunDocument,
  type Scenario,
  symptomOf,
  wasTested,
} from './document.ts';
import { printedLines } from '../last-words.ts';
import { visible } from './plain-text.ts';

interface Case {
  readonly name: string;
  readonly result: 'passed' | 'failure' | 'error' | 'skipped';
  readonly xml: string;
}

export function renderJunit({ scenarios }: RunDocument): string {
  const suites = scenarios.map(suiteOf);
  const all = suites.flatMap(({ cases }) => cases);
  const totals = attributes({ name: 'stalemate', ...counts(all), time: seconds(scenarios) });
  const body = suites.map(({ xml }) => xml).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${totals}>\n${body}</testsuites>\n`;
}

function suiteOf(scenario: Scenario): { readonly cases: readonly Case[]; readonly xml: string } {
  const cases = [
    ...scenario.kept.map(keptCase),
    ...scenario.properties.map((property) => propertyCase(property, scenario)),
    campaignCase(scenario),
  ];
  const { seed, runs, budget, cluster, stoppedEarly } = scenario;
  const facts = { seed, runs, budget, cluster, ...(stoppedEarly === undefined ? {} : { stoppedEarly: 'true' }) };
  const counters = Object.entries({ ...facts, ...scenario.contention });
  const properties = counters.map(([name, value]) => `      <property${attributes({ name, value })}/>\n`).join('');
  const suite = attributes({
    name: scenario.name,
    ...counts(cases),
    time: seconds([scenario]),
    ...(scenario.file === null ? {} : { file: scenario.file }),
  });
  const xml = cases.map((one) => caseXml(one, scenario)).join('');
  return {
    cases,
    xml: `  <testsuite${suite}>\n    <properties>\n${properties}    </properties>\n${xml}  </testsuite>\n`,
  };
}

function keptCase(kept: KeptFinding): Case {
  const name = `kept: ${kept.name}`;
  const message = `${kept.regression ? 'regression: ' : ''}${kept.sentence}`;
  const body = escape(`${kept.sentence}\n${kept.property}: ${kept.about}\nreplay: ${keptCommand(kept)}\n`);
  switch (kept.result) {
    case 'passed':
      return { name, result: 'passed', xml: '' };
    case 'failed': {
      const facts = attributes({ message, type: kept.regression ? 'regression' : kept.state });
      return { name, result: 'failure', xml: `      <failure${facts}>${body}</failure>\n` };
    }
    case 'silent':
      return { name, result: 'error', xml: `      <error${attributes({ message: kept.about })}>${body}</error>\n` };
    case 'aside':
      return { name, result: 'skipped', xml: `      <skipped${attributes({ message: kept.about })}/>\n` };
    default:
      return kept.result satisfies never;
  }
}

function propertyCase(property: PropertyLine, scenario: Scenario): Case {
  const { name } = property;
  const failures = failing(scenario).filter((finding) => finding.property === name);
  const asides = scenario.findings.filter((finding) => finding.property === name && !finding.fails);
  const beside =
    asides.length === 0
      ? ''
      : `      <system-out>${escape(asides.map((one) => `${asideText(one) ?? ''}\n${one.story}`).join('\n'))}</system-out>\n`;
  const [first] = failures;
  if (first !== undefined) {
    const more = failures.length === 1 ? '' : ` (and ${failures.length - 1} more)`;
    const facts = attributes({ message: `${first.sentence}${more}`, type: first.title });
    return { name, result: 'failure', xml: `      <failure${facts}>${escape(bodyOf(failures))}</failure>\n${beside}` };
  }
  const cause = symptomOf(property, scenario);
  if (cause !== undefined) {
    const message = attributes({ message: `symptom of finding ${cause.stem}: ${cause.sentence}` });
    return { name, result: 'skipped', xml: `      <skipped${message}/>\n${beside}` };
  }
  if (!wasTested(property)) {
    const message = attributes({ message: 'no run put this property to the test' });
    return { name, result: 'skipped', xml: `      <skipped${message}/>\n${beside}` };
  }
  return { name, result: 'passed', xml: beside };
}

function bodyOf(findings: readonly ReportedFinding[]): string {
  return findings.map(({ story }) => story).join('\n');
}

/** Returns the case for the campaign as a whole, which fails if too little was tried. */
function campaignCase(scenario: Scenario): Case {
  const name = 'enough was tried';
  const message = notGreen(scenario);
  const lines = [...scenario.warnings.map((warning) => `warning: ${warning}`), ...printedLines(scenario.printed)];
  const beside = lines.length === 0 ? '' : `      <system-out>${escape(`${lines.join('\n')}\n`)}</system-out>\n`;
  if (message === undefined) return { name, result: 'passed', xml: beside };
  const facts = attributes({ message, type: scenario.outcome });
  return { name, result: 'error', xml: `      <error${facts}>${escape(message)}</error>\n${beside}` };
}

function caseXml({ name, xml }: Case, scenario: Scenario): string {
  const facts = attributes({
    name,
    classname: `stalemate.${scenario.name.replaceAll('.', '_')}`,
    time: '0',
    ...(scenario.file === null ? {} : { file: scenario.file }),
  });
  return xml === '' ? `    <testcase${facts}/>\n` : `    <testcase${facts}>\n${xml}    </testcase>\n`;
}

function counts(cases: readonly Case[]): { readonly [name: string]: number } {
  const of = (result: Case['result']): number => cases.filter((one) => one.result === result).length;
  return { tests: cases.length, failures: of('failure'), errors: of('error'), skipped: of('skipped') };
}

function seconds(scenarios: readonly Scenario[]): string {
  return (scenarios.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0) / 1000).toFixed(3);
}

function attributes(values: { readonly [name: string]: string | number }): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escape(String(value)).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`)
    .join('');
}

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes the text of an element or of a quoted attribute. */
function escape(text: string): string {
  return visible(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
