/** Renders the columns of the story: one per actor and one for the API server; time runs downwards. Each row can be selected. */
import type { ReportDeviation, ReportDocument, ReportRow, ReportStory } from '../document.ts';
import { html, type Html } from '../html-text.ts';
import { countText } from '../../count-text.ts';
import { headOf } from '../../columns.ts';

export function storySection({ story }: ReportDocument): Html {
  const heads = story.actors.map((actor) => html`<span>${headOf(actor)}</span>`);
  return html`<section id="story" aria-labelledby="story-head">
    <h2 id="story-head">What happened</h2>
    <p class="hint">
      Select a step, with the pointer or with the arrow keys, to see what each actor knew at that moment.
    </p>
    <div class="steps">
      <div class="step heads" aria-hidden="true"><span class="number">#</span>${heads}<span>${story.server}</span></div>
      <ol role="listbox" aria-label="Steps in order, one row each" tabindex="0">
        ${story.rows.map((row, index) => rowItem(row, index, story))}
      </ol>
    </div>
    ${after(story)}
  </section>`;
}

function rowItem(row: ReportRow, index: number, story: ReportStory): Html {
  const attributes = html`id="step-${index}" role="option" aria-selected="false" data-at="${row.at}"`;
  switch (row.row) {
    case 'seen':
      return html`<li class="step seen" ${attributes}>
        ${numberOf(row.number)}<span class="call ${place(story, row.actor)}"
          ><span class="who">${row.actor} has seen </span>${row.text}</span
        >
      </li>`;
    case 'operation':
      return operationItem(row, attributes, story);
    case 'deviation':
      return html`<li class="step deviation ${row.deviation}" ${attributes}>${deviationText(row)}</li>`;
    case 'event':
      return html`<li class="step event ${row.log ? 'log' : ''} ${row.guilty ? 'guilty' : ''}" ${attributes}>
        <span class="number"></span
        ><span class="call ${place(story, row.actor)}"
          ><span class="who">${row.actor}: </span>${row.guilty ? '✗ ' : ''}${row.text}</span
        >
      </li>`;
    case 'folded':
      return html`<li class="step folded" ${attributes}>${row.text}</li>`;
  }
}

function operationItem(row: Extract<ReportRow, { row: 'operation' }>, attributes: Html, story: ReportStory): Html {
  const reaches = row.answer !== undefined;
  const refused = /^(4|5)\d\d /.test(row.answer ?? '');
  const answer = reaches
    ? html`<span class="answer ${refused ? 'refused' : ''}"
        ><span class="unseen">the API server: </span>${refused ? '⊘ ' : ''}${row.answer}</span
      >`
    : undefined;
  const notes = [
    row.guilty ? html`<span class="note bad">✗ ${row.remark ?? 'this is what the finding blames'}</span>` : undefined,
    row.base === undefined ? undefined : html`<span class="note old">↺ ${row.base}</span>`,
    row.stale === undefined ? undefined : html`<span class="note old">${row.stale}</span>`,
  ].filter((note): note is Html => note !== undefined);
  return html`<li class="step operation ${row.guilty ? 'guilty' : ''} ${reaches ? 'write' : 'read'}" ${attributes}>
    ${numberOf(row.number)}<span class="call ${place(story, row.actor)}"
      ><span class="who">${row.actor}: </span
      ><span class="request">${row.request}</span
      >${reaches ? html`<span class="shaft" aria-hidden="true"></span>` : undefined}</span
    >${answer}${notes.length === 0 ? undefined : html`<span class="notes">${notes}</span>`}
  </li>`;
}

function numberOf(number: number): Html {
  return html`<span class="number">${number}</span>`;
}

/** Returns the CSS class of an actor's column. With classes, the content security policy can forbid style attributes. */
function place(story: ReportStory, actor: string): string {
  return `in-${Math.min(9, Math.max(0, story.actors.indexOf(actor)))}`;
}

/** Signs that fonts without emoji have as well. */
const SIGNS = { preemption: '⇄', hold: '‖', release: '▷', fault: '↯' } as const;

export function deviationText(row: ReportDeviation): Html {
  const ordinal = row.ordinal === undefined ? '' : ` ${row.ordinal}`;
  const without =
    row.without === undefined ? undefined : html`<span class="without">without it: <b>${row.without}</b></span>`;
  return html`<span class="what">${SIGNS[row.deviation]} ${row.deviation}${ordinal}</span>
    <span class="where">${row.text}</span> ${without}`;
}

function after(story: ReportStory): Html {
  const { unrelatedSteps, atRest, missed } = story;
  const rest = atRest.map(
    ({ object, leaf, expected, actual }) =>
      html`<li><b>${object}</b> ${leaf === '' ? '' : `${leaf} `}is <b>${actual}</b>, expected <b>${expected}</b></li>`,
  );
  return html`${unrelatedSteps === 0 ? undefined : html`<p class="hint">… and ${countText(unrelatedSteps, 'step')} on other objects, in the history below.</p>`}
  ${
    rest.length === 0
      ? undefined
      : html`<h3>At rest, compared with a fresh copy given the same input</h3>
          <ul>
            ${rest}
          </ul>`
  }
  ${missed.length === 0 ? undefined : html`<p>Never happened: ${missed.join(', ')}</p>`}`;
}
