/** Renders the failing run on the left, the passing run on the right, and where they diverge. */
import type { ComparedRow, ComparedStep, ReportDocument, ReportNeighbour } from '../document.ts';
import { html, type Html } from '../html-text.ts';
import { countText } from '../../count-text.ts';

export function neighbourSection({ neighbour }: ReportDocument): Html {
  if (neighbour === undefined) return html``;
  return html`<section id="neighbour" aria-labelledby="neighbour-head">
    <h2 id="neighbour-head">Compared with the run that passes</h2>
    <p>
      Left out on the right: <code>${neighbour.without}</code>. Everything else is the same workload and schedule; what
      differs from the first marked row on is what the failure needs.
    </p>
    <div class="wide" tabindex="0" role="region" aria-labelledby="neighbour-head">
      <table class="beside">
        <thead>
          <tr>
            <th scope="col">Actor</th>
            <th scope="col">✗ This run</th>
            <th scope="col">✓ Without it</th>
          </tr>
        </thead>
        <tbody>
          ${neighbour.rows.map(rowOf)} ${endRows(neighbour)}
        </tbody>
      </table>
    </div>
  </section>`;
}

function rowOf(row: ComparedRow): Html {
  if (row.row !== 'step') {
    const text = `… ${countText(row.steps, 'step')} ${row.row === 'same' ? 'alike' : 'more'}`;
    return html`<tr class="folded">
      <td colspan="3">${text}</td>
    </tr>`;
  }
  const { actor, same, parts, failing, passing, moved = 'not at all' } = row;
  const parting = parts
    ? html`<tr class="parting">
        <th scope="rowgroup" colspan="3">▼ here they diverge</th>
      </tr>`
    : undefined;
  return html`${parting}
    <tr class="${same ? 'same' : 'differs'}">
      <th scope="row">${same ? '' : '≠ '}${actor}</th>
      ${cell(failing, moved)}${cell(passing, moved)}
    </tr>`;
}

/** @param missing - Text for a step that is missing in this row: when the step happens in this run, if at all. */
function cell(step: ComparedStep | undefined, missing: string): Html {
  if (step === undefined) return html`<td class="none">${missing}</td>`;
  const { request, answer, guilty } = step;
  const refused = /^(4|5)\d\d /.test(answer ?? '');
  const answered =
    answer === undefined
      ? undefined
      : html` <span class="${refused ? 'answer refused' : 'answer'}">▸ ${refused ? '⊘ ' : ''}${answer}</span>`;
  return html`<td class="${guilty ? 'guilty' : ''}"><code>${guilty ? '✗ ' : ''}${request}${answered}</code></td>`;
}

function endRows({ ends }: ReportNeighbour): readonly Html[] {
  return ends.map(
    ({ object, failing, passing }) =>
      html`<tr class="end">
        <th scope="row">in the end, ${object}</th>
        <td><b>${failing}</b></td>
        <td><b>${passing}</b></td>
      </tr>`,
  );
}
