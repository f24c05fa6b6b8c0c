/** Renders the versions of each object: the writer, the version it was made from, and whether the writer intended to change the field. */
import type { ChainVersion, Intent, ReportChain, ReportDocument } from '../document.ts';
import { html, type Html } from '../html-text.ts';

const INTENT: { readonly [intent in Intent]: string } = {
  created: 'created it',
  meant: 'meant it',
  carried: 'carried it along, unchanged',
  reverted: '✗ carried an old value back',
  rebuilt: '✗ rebuilt it without this',
  server: 'not named in the request',
  deleted: 'deleted it',
  none: 'left it alone',
};

export function chainsSection({ chains }: ReportDocument): Html {
  if (chains.length === 0) return html``;
  return html`<section id="versions" aria-labelledby="versions-head">
    <h2 id="versions-head">Versions</h2>
    <p>
      Who wrote each version, which version its content stems from, which one the request named, and what the writer
      meant.
    </p>
    ${chains.map(chainTable)}
  </section>`;
}

function chainTable(chain: ReportChain, index: number): Html {
  const head = chain.field === '' ? 'Changes' : chain.field;
  const rows = folded(chain.versions).map((row) =>
    typeof row === 'number' ? moreRow(row) : versionRow(row, chain.field === ''),
  );
  // Explicit roles, because the styles of narrow windows remove the table semantics.
  return html`<h3 id="chain-${index}">${chain.object}</h3>
    <div class="wide" tabindex="0" role="region" aria-labelledby="chain-${index}">
      <table class="chain" role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">Version</th>
            <th role="columnheader" scope="col">Writer</th>
            <th role="columnheader" scope="col">Request</th>
            <th role="columnheader" scope="col">Content of</th>
            <th role="columnheader" scope="col">Named</th>
            <th role="columnheader" scope="col">${head}</th>
            <th role="columnheader" scope="col">Intent</th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${rows}
        </tbody>
      </table>
    </div>`;
}

/** Number of similar rows that are shown before and after the omitted ones. */
const ALIKE = 2;

/**
 * Replaces the middle of a sequence of similar versions with their number. Versions with different roles in the violation are not similar.
 */
function folded(versions: readonly ChainVersion[]): readonly (ChainVersion | number)[] {
  const out: (ChainVersion | number)[] = [];
  for (let at = 0; at < versions.length;) {
    const first = versions[at] as ChainVersion;
    const end = versions.findIndex((version, place) => place > at && !isAlike(first, version));
    const alike = versions.slice(at, end < 0 ? versions.length : end);
    const left = alike.length - 2 * ALIKE;
    out.push(...(left < 2 ? alike : [...alike.slice(0, ALIKE), left, ...alike.slice(-ALIKE)]));
    at += alike.length;
  }
  return out;
}

function isAlike(a: ChainVersion, b: ChainVersion): boolean {
  return a.actor === b.actor && a.request === b.request && a.intent === b.intent && a.role === b.role;
}

function moreRow(count: number): Html {
  return html`<tr role="row" class="folded">
    <td role="cell" colspan="7">… ${count} more like these</td>
  </tr>`;
}

const MARKS = { guilty: ' ✗ guilty', victim: ' ◎ victim', involved: ' ◎ involved' } as const;

function versionRow(version: ChainVersion, whole: boolean): Html {
  const { revision, actor, request, base, under, value, intent, role } = version;
  const mixed = base !== undefined && under !== undefined && base !== under;
  const meant = whole && intent === 'meant' ? '' : INTENT[intent];
  return html`<tr role="row" class="${role ?? ''}">
    <th role="rowheader" scope="row">${revision}${role === undefined ? '' : MARKS[role]}</th>
    <td role="cell">${actor}</td>
    <td role="cell">${request}</td>
    <td role="cell" data-label="content of" class="${mixed ? 'mixed' : ''}">${base ?? '–'}${mixed ? ' ≠' : ''}</td>
    <td role="cell" data-label="named">${under ?? '–'}</td>
    <td role="cell"><code>${value}</code></td>
    <td role="cell">${meant}</td>
  </tr>`;
}
