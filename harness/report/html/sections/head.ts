/** Renders the top of the page: the failure in one sentence, and the command that replays it. */
import type { ReportDocument } from '../document.ts';
import { html, type Html } from '../html-text.ts';

const GRADES = {
  everyday: 'ordinary conflicts and lag of seconds are enough',
  'restart-or-HA': 'needs a restart or a second replica',
  pathological: 'needs more than a restart: reported, but it does not fail a run',
} as const;

export function headSection({ head, reproduce }: ReportDocument): Html {
  const [first] = reproduce;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Grade', head.grade === undefined ? undefined : `${head.grade}: ${GRADES[head.grade]}`],
    ['Real server', head.server],
    ['Least lag', head.lag],
    ['Tried', head.tried],
  ];
  const about = [head.resource, head.field].filter((part) => part !== '').join(' ');
  return html`<header>
    <p class="brand">stalemate · ${head.property}${head.class === '' ? '' : ` · ${head.class}`}</p>
    <h1 class="${head.blameless === true ? 'blameless' : ''}">
      ${head.severity === 'warning' ? 'Warning: ' : ''}${head.title}${about === '' ? undefined : html` <span class="about">${about}</span>`}
    </h1>
    <p class="sentence">${head.sentence}</p>
    ${head.cause === undefined ? undefined : html`<p><b>Cause</b> ${head.cause}</p>`}
    ${(head.symptoms ?? []).map((symptom) => html`<p class="hint">shows as ${symptom}</p>`)}
    ${head.mend === undefined ? undefined : html`<p class="fix"><b>Suggested fix</b> ${head.mend}</p>`}
    <dl class="facts">
      ${facts.map(([name, text]) =>
        text === undefined
          ? html``
          : html`<div>
              <dt>${name}</dt>
              <dd>${text}</dd>
            </div>`,
      )}
    </dl>
    ${first === undefined ? undefined : copyable(first.command, 'the replay command')}
  </header>`;
}

/** Renders a text on one line with a button that copies it. */
export function copyable(text: string, what: string): Html {
  return html`<div class="copyable">
    <code>${text}</code><button type="button" data-copy="${text}" aria-label="Copy ${what}">Copy</button>
  </div>`;
}
