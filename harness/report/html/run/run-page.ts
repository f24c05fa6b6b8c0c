/**
 * Renders the page of a whole run: its outcome, its figures, each finding with a link to its own page, and each property.
 *
 * Owns: order and markup. Does not own: the data (`report/run/document.ts`), which the page also contains as JSON.
 */
import {
  asideText,
  failureText,
  holdsText,
  keptCommand,
  notGreen,
  replayCommand,
  symptomOf,
  wasTested,
} from '../../run/document.ts';
import type { PropertyLine, ReportedFinding, RunDocument, Scenario } from '../../run/document.ts';
import { figuresOf } from '../../run/figures.ts';
import { runScript, runStyle } from '../assets.ts';
import { seenText } from '../../soak/text.ts';
import { countText } from '../../count-text.ts';
import { printedLines } from '../../last-words.ts';
import { waiverLines } from '../../summary-text.ts';
import { remarkLines, REMARKS_HEAD } from '../../remarks.ts';
import { symptomLines } from '../../symptoms.ts';
import { html, type Html } from '../html-text.ts';
import { pageShell } from '../page-shell.ts';
import { copyable } from '../sections/head.ts';

/** @param link - Returns the link from this page to a file of the run. */
export function runPage(run: RunDocument, link: (path: string) => string): string {
  return pageShell({
    title: `${headline(run.scenarios)} · stalemate`,
    style: runStyle(),
    script: runScript(),
    body: body(run, link),
    data: { id: 'run-data', value: run },
  });
}

function body({ scenarios, madeWith }: RunDocument, link: (path: string) => string): Html {
  const green = scenarios.every(isGreen);
  const alone = scenarios.length === 1;
  return html`<a class="skip" href="#first">Skip to the results</a>
    <header>
      <p class="brand">stalemate · run</p>
      <h1 class="${green ? 'holds' : 'fails'}">${mark(green)} ${headline(scenarios)}</h1>
      ${alone ? undefined : overview(scenarios)}
    </header>
    <main id="first">${scenarios.map((scenario, index) => scenarioSection(scenario, index, link, alone))}</main>
    <footer>
      <p class="hint">
        stalemate ${madeWith.stalemate}, Node ${madeWith.node}. Commands are run where the campaign ran.
      </p>
    </footer>
    <p id="said" class="unseen" role="status" aria-live="polite"></p> `;
}

/** Returns the headline: `2 findings`, `all properties hold`, or why the run is inconclusive. */
function headline(scenarios: readonly Scenario[]): string {
  const failed = failureText(scenarios);
  if (failed !== undefined) return failed;
  const [why] = scenarios.flatMap((scenario) => notGreen(scenario) ?? []);
  return why ?? holdsText(scenarios);
}

function isGreen(scenario: Scenario): boolean {
  return failureText([scenario]) === undefined && notGreen(scenario) === undefined;
}

function overview(scenarios: readonly Scenario[]): Html {
  const rows = scenarios.map(
    (scenario, index) =>
      html`<li>
        ${mark(isGreen(scenario))}
        <a href="#scenario-${index}">${scenario.name}</a>: ${headline([scenario])}
      </li>`,
  );
  return html`<ul class="overview">
    ${rows}
  </ul>`;
}

function mark(good: boolean): Html {
  return html`<span aria-hidden="true">${good ? '✓' : '✗'}</span>`;
}

function scenarioSection(scenario: Scenario, index: number, link: (path: string) => string, alone: boolean): Html {
  const { name, target, cluster, seed, budget, findings, warnings } = scenario;
  const figures = figuresOf(scenario).map(
    ({ name, value }) =>
      html`<dt>${name}</dt>
        <dd>${value}</dd>`,
  );
  return html`<section id="scenario-${index}" aria-labelledby="scenario-${index}-head">
    <h2 id="scenario-${index}-head">${name}</h2>
    ${alone ? undefined : html`<p>${headline([scenario])}</p>`}
    ${warnings.map((warning) => html`<p class="warning"><b>Warning:</b> ${warning}</p>`)}
    ${scenario.printed === undefined ? undefined : html`<pre>${printedLines(scenario.printed).join('\n')}</pre>`}
    ${waiverLines(scenario).map((line) => html`<p class="hint">${line}</p>`)} ${keptList(scenario)}
    ${findings.length === 0 ? undefined : html`<h3>Findings</h3>`}
    <ol class="findings">
      ${findings.map((finding) => findingItem(finding, link))}
    </ol>
    ${remarkList(scenario)}
    <h3>Run details</h3>
    <dl>
      <dt>target</dt>
      <dd><code>${target}</code></dd>
      <dt>API server</dt>
      <dd>${cluster}</dd>
      <dt>seed</dt>
      <dd>${seed}, ${budget}</dd>
      ${figures}
    </dl>
    ${reasons(scenario, link)} ${propertyTable(scenario, index)}
  </section>`;
}

function findingItem(finding: ReportedFinding, link: (path: string) => string): Html {
  const { title, sentence, resource, field, property, tried, page, fails, seen, count } = finding;
  const { cause, symptoms = [], signature } = finding;
  const about = [resource, field].filter((part) => part !== '').join(' ');
  const replay = replayCommand(finding);
  const aside = asideText(finding);
  const head = html`${title}${about === '' ? undefined : html` <span class="about">${about}</span>`}`;
  return html`<li class="${fails ? 'fails' : 'reported'}">
    <h4>${page === null ? head : html`<a href="${link(page)}">${head}</a>`}</h4>
    <p class="sentence">${sentence}</p>
    ${cause === undefined || cause.text === signature ? undefined : html`<p><b>Cause</b> ${cause.text}</p>`}
    ${symptoms.length < 2 ? undefined : symptomLines(symptoms).map((line) => html`<p class="hint">shows as ${line}</p>`)}
    ${aside === undefined ? undefined : html`<p><b>${aside}</b></p>`}
    <p class="hint">${property} · ${tried}</p>
    ${seen === undefined ? undefined : html`<p class="hint">${countText(count, 'run')}, ${seenText(seen)}</p>`}
    ${replay === undefined ? undefined : copyable(replay, `the replay command of ${title} ${about}`)}
  </li>`;
}

function remarkList({ remarks = [] }: Scenario): Html | undefined {
  if (remarks.length === 0) return undefined;
  return html`<h3>${REMARKS_HEAD}</h3>
    <ul>
      ${remarkLines(remarks).map((line) => html`<li>${line}</li>`)}
    </ul>`;
}

const KEPT_MARK = {
  passed: '✓ holds',
  failed: '✗ fails',
  silent: '? inconclusive',
  aside: '– reported only',
} as const;

function keptList({ kept }: Scenario): Html | undefined {
  if (kept.length === 0) return undefined;
  const items = kept.map(
    (one) =>
      html`<li>
        <b class="${one.result === 'failed' ? 'bad' : 'reported'}"
          >${KEPT_MARK[one.result]}${one.regression ? ', a regression' : ''}</b
        >: <code>${one.name}</code>
        <p>${one.sentence}</p>
        <p class="hint">${one.property} · ${one.about}</p>
        ${one.result === 'passed' ? undefined : copyable(keptCommand(one), `the replay command of ${one.name}`)}
      </li>`,
  );
  return html`<h3>Corpus</h3>
    <ul class="findings">
      ${items}
    </ul>`;
}

function reasons({ inconclusive }: Scenario, link: (path: string) => string): Html | undefined {
  if (inconclusive.reasons.length === 0) return undefined;
  const items = inconclusive.reasons.map(
    ({ why, count, page }) =>
      html`<li>${count} × ${page === undefined ? why : html`<a href="${link(page)}">${why}</a>`}</li>`,
  );
  return html`<h3>Inconclusive</h3>
    <ul>
      ${items}
    </ul>`;
}

function propertyTable(scenario: Scenario, index: number): Html {
  const { properties, findings } = scenario;
  const rows = properties.map((property) => {
    const failed =
      findings.some((finding) => finding.fails && finding.property === property.name) ||
      symptomOf(property, scenario) !== undefined;
    return html`<tr>
      <th scope="row"><code>${property.name}</code><small>${property.about}</small></th>
      <td>${verdict(property, failed)}</td>
      <td>${property.holds}</td>
      <td>${property.violated}</td>
      <td>${property.inconclusive}</td>
    </tr>`;
  });
  return html`<h3 id="properties-${index}">Properties</h3>
    <div class="wide" tabindex="0" role="region" aria-labelledby="properties-${index}">
      <table class="properties">
        <thead>
          <tr>
            <th scope="col">Property</th>
            <th scope="col">Verdict</th>
            <th scope="col">holds</th>
            <th scope="col">violated</th>
            <th scope="col">inconclusive</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
}

function verdict(property: PropertyLine, failed: boolean): Html {
  if (failed) return html`<b class="bad">✗ violated</b>`;
  return wasTested(property) ? html`✓ holds` : html`– not put to the test`;
}
