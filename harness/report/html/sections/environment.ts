/** Shows the environment of the finding, and what the page omits. */
import type { ReportDocument } from '../document.ts';
import { html, type Html } from '../html-text.ts';

export function environmentSection({ environment, notes, version }: ReportDocument): Html {
  const rows = environment.map(
    ({ name, value }) =>
      html`<dt>${name}</dt>
        <dd>${value}</dd>`,
  );
  return html`<section id="environment" aria-labelledby="environment-head">
    <h2 id="environment-head">Found with</h2>
    <dl>
      ${rows}
      <dt>Page</dt>
      <dd>report document of version ${version}</dd>
    </dl>
    ${notes.map((note) => html`<p class="hint">${note}</p>`)}
  </section>`;
}
