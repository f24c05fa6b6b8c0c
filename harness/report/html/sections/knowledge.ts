/** Renders the frame for cache and live state. The script fills it in, because the content depends on the selected step. */
import type { ReportDocument } from '../document.ts';
import { html, type Html } from '../html-text.ts';

export function knowledgeSection({ views }: ReportDocument): Html {
  if (views.length === 0) return html``;
  return html`<section id="knowledge" aria-labelledby="knowledge-head">
    <h2 id="knowledge-head">Cache versus live</h2>
    <div class="scrub">
      <button type="button" id="earlier" aria-label="One moment earlier">◀</button>
      <input type="range" id="scrub" min="0" max="0" value="0" aria-label="Moment of the run" />
      <button type="button" id="later" aria-label="One moment later">▶</button>
    </div>
    <p id="moment" class="moment"></p>
    <p class="hint">
      Versions from left to right; dashed is behind the API server. A cache follows its watch; other reads of its owner
      have a row of their own.
    </p>
    <div id="views">
      <noscript>What each actor knew at a moment needs a script; the versions below show the same.</noscript>
    </div>
  </section>`;
}
