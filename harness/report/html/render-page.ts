/**
 * Renders a report document as one self-contained HTML file, which needs no network, no server and no other file.
 *
 * Owns: the order of the sections. Does not own: the file around them (`page-shell.ts`). Everything that is readable without a
 * script is rendered here, so that the story appears at once; `page/` makes it interactive. Start at {@link renderPage}.
 */
import { pageScript, pageStyle } from './assets.ts';
import type { ReportDocument } from './document.ts';
import { html, type Html } from './html-text.ts';
import { pageShell } from './page-shell.ts';
import { chainsSection } from './sections/chains.ts';
import { counterfactualsSection } from './sections/counterfactuals.ts';
import { environmentSection } from './sections/environment.ts';
import { copyable, headSection } from './sections/head.ts';
import { historySection } from './sections/history.ts';
import { knowledgeSection } from './sections/knowledge.ts';
import { neighbourSection } from './sections/neighbour.ts';
import { ratesSection } from './sections/rates.ts';
import { storySection } from './sections/story.ts';

/** Renders the page of a report. Pure: equal documents give identical bytes. */
export function renderPage(report: ReportDocument): string {
  return pageShell({
    title: titleOf(report),
    style: `${pageStyle()}\n.steps { --columns: ${columnsOf(report.story.actors.length)}; }\n`,
    script: pageScript(),
    body: body(report),
    data: { id: 'report-data', value: report },
  });
}

/**
 * Returns the widths of the columns. The last actor is the target, whose requests are the longest; requests in earlier columns
 * may extend to the right.
 */
function columnsOf(actors: number): string {
  const earlier = actors > 1 ? `repeat(${actors - 1}, minmax(0, 1fr)) ` : '';
  return `2.4rem ${earlier}minmax(0, 3fr) minmax(0, 1.4fr)`;
}

function titleOf({ head }: ReportDocument): string {
  const about = [head.resource, head.field].filter((part) => part !== '').join(' ');
  return [head.title, about, 'stalemate'].filter((part) => part !== '').join(' · ');
}

function body(report: ReportDocument): Html {
  return html`<a class="skip" href="#story">Skip to the story</a>
    ${headSection(report)}
    <main>
      <div class="first">${storySection(report)} ${knowledgeSection(report)}</div>
      ${counterfactualsSection(report)} ${neighbourSection(report)} ${chainsSection(report)} ${ratesSection(report)}
      ${historySection(report)} ${reproduceSection(report)} ${waiverSection(report)} ${environmentSection(report)}
    </main>
    <p id="said" class="unseen" role="status" aria-live="polite"></p> `;
}

function reproduceSection({ reproduce }: ReportDocument): Html {
  if (reproduce.length === 0) return html``;
  const items = reproduce.map(
    ({ what, command }) =>
      html`<li>
        <p>${what}</p>
        ${copyable(command, what)}
      </li>`,
  );
  return html`<section id="reproduce" aria-labelledby="reproduce-head">
    <h2 id="reproduce-head">How to reproduce</h2>
    <p>
      Run these where the campaign ran: paths are relative to that folder. A replay of a module reproduces in every run
      or in none.
    </p>
    <ul class="commands">
      ${items}
    </ul>
  </section>`;
}

function waiverSection({ waiver }: ReportDocument): Html {
  if (waiver === undefined) return html``;
  return html`<section id="waiver" aria-labelledby="waiver-head">
    <h2 id="waiver-head">If it has to wait</h2>
    <p>
      Under <code>waivers</code> in the configuration, with a reason and the last day on which it is valid, this line
      keeps it from failing runs until then.
    </p>
    ${copyable(waiver, 'the waiver')}
  </section>`;
}
