/**
 * A report document as one HTML file that needs nothing else: no network, no server, no other file.
 *
 * Owns: the order of the sections, the head with its policy (only this page's own script and style may run, nothing may be fetched).
 * What can be read without a script is written here, so that the story is there at once; what moves is in `page/`. Start at
 * {@link renderPage}.
 */
import { createHash } from 'node:crypto';
import { pageScript, pageStyle } from './assets.ts';
import type { ReportDocument } from './document.ts';
import { html, scriptJson, type Html } from './html-text.ts';
import { chainsSection } from './sections/chains.ts';
import { counterfactualsSection } from './sections/counterfactuals.ts';
import { environmentSection } from './sections/environment.ts';
import { copyable, headSection } from './sections/head.ts';
import { historySection } from './sections/history.ts';
import { knowledgeSection } from './sections/knowledge.ts';
import { ratesSection } from './sections/rates.ts';
import { storySection } from './sections/story.ts';

/** Writes the page of a report. Pure: the same document gives the same bytes. */
export function renderPage(report: ReportDocument): string {
  const script = pageScript();
  const style = `${pageStyle()}\n.steps { --columns: ${columnsOf(report.story.actors.length)}; }\n`;
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const head = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <title>${titleOf(report)}</title>
     `;
  const start = `<style>${style}</style>\n</head>\n<body>\n`;
  const data = `<script type="application/json" id="report-data">${scriptJson(report)}</script>\n`;
  return `${head.text}${start}${body(report).text}${data}<script type="module">${script}</script>\n</body>\n</html>\n`;
}

/** The last actor is the target, whose requests say most; those before it may run on to the right. */
function columnsOf(actors: number): string {
  const earlier = actors > 1 ? `repeat(${actors - 1}, minmax(0, 1fr)) ` : '';
  return `2.4rem ${earlier}minmax(0, 3fr) minmax(0, 1.4fr)`;
}

/** The policy names the script and the style by what they are. */
function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function titleOf({ head }: ReportDocument): string {
  return `${head.title} · ${[head.resource, head.field].filter((part) => part !== '').join(' ')} · stalemate`;
}

function body(report: ReportDocument): Html {
  return html`<a class="skip" href="#story">Skip to the story</a>
    ${headSection(report)}
    <main>
      <div class="first">${storySection(report)} ${knowledgeSection(report)}</div>
      ${counterfactualsSection(report)} ${chainsSection(report)} ${ratesSection(report)} ${historySection(report)}
      ${reproduceSection(report)} ${environmentSection(report)}
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
      Run these where the campaign ran: paths are relative to that folder. In the deterministic mode a replay comes back
      in every run or in none.
    </p>
    <ul class="commands">
      ${items}
    </ul>
  </section>`;
}
