/** Shows why each deviation from the default order is needed. */
import type { ReportDeviation, ReportDocument } from '../document.ts';
import { html, type Html } from '../html-text.ts';

const MEANING = {
  passes: 'passes: this one is needed',
  'still fails': 'still fails: something else suffices',
  other: 'fails in another way',
} as const;

export function counterfactualsSection({ counterfactuals, head }: ReportDocument): Html {
  const rows = counterfactuals.map(
    (row) =>
      html`<tr>
        <th scope="row">${row.deviation}${row.ordinal === undefined ? '' : ` ${row.ordinal}`}</th>
        <td><code>${row.text}</code></td>
        <td>${withoutText(row)}</td>
      </tr>`,
  );
  const text =
    rows.length === 0
      ? 'The schedule does not deviate from the default order: the workload alone is enough.'
      : head.tried === undefined
        ? 'These are all the deviations from the default order. The outcome without each of them was not recorded.'
        : 'These are all the deviations from the default order. Each was left out once and the run repeated.';
  return html`<section id="counterfactuals" aria-labelledby="counterfactuals-head">
    <h2 id="counterfactuals-head">What it takes</h2>
    <p>${text}</p>
    ${
      rows.length === 0
        ? undefined
        : html`<div class="wide" tabindex="0" role="region" aria-label="Deviations">
            <table>
              <thead>
                <tr>
                  <th scope="col">Deviation</th>
                  <th scope="col">Where</th>
                  <th scope="col">Without it, the run …</th>
                </tr>
              </thead>
              <tbody>
                ${rows}
              </tbody>
            </table>
          </div>`
    }
  </section>`;
}

function withoutText({ without }: ReportDeviation): string {
  return without === undefined ? 'not known' : MEANING[without];
}
