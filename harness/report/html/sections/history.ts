/** Renders the frame and filters of the raw history. The script draws the rows, because there may be 100,000 of them. */
import type { ReportDocument } from '../document.ts';
import { html, type Html } from '../html-text.ts';

export function historySection({ events }: ReportDocument): Html {
  return html`<section id="history" aria-labelledby="history-head">
    <h2 id="history-head">The whole history</h2>
    <div class="filters" role="search" aria-label="Filters of the history">
      ${filter('actor', 'Actor')}${filter('verb', 'Verb')}${filter('object', 'Object')}${filter('kind', 'Kind')}
      <label
        >Text<input
          type="search"
          id="filter-text"
          autocomplete="off"
          spellcheck="false"
          placeholder="words, labels, values"
      /></label>
      <button type="button" id="ancestry" aria-pressed="false">Only what led to the selected row</button>
      <button type="button" id="clear">Show all</button>
    </div>
    <p id="count" class="hint" role="status">${events.at.length} events; the list needs a script.</p>
    <div class="list">
      <div id="events" role="grid" aria-label="Events of the run" aria-colcount="6" tabindex="0">
        <div role="row" class="event-row event-heads" aria-rowindex="1">
          <span role="columnheader">#</span><span role="columnheader">time</span><span role="columnheader">actor</span
          ><span role="columnheader">verb</span><span role="columnheader">object</span
          ><span role="columnheader">what</span>
        </div>
        <div id="event-space" role="rowgroup"></div>
      </div>
      <aside id="event-detail" aria-label="The selected event" aria-live="polite">
        <p class="hint">Select a row to see all of it, and what it follows from.</p>
      </aside>
    </div>
  </section>`;
}

function filter(name: string, label: string): Html {
  return html`<label
    >${label}<select id="filter-${name}">
      <option value="">all</option>
    </select></label
  >`;
}
