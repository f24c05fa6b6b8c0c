/** Each object version by version: who wrote it, made of what, and whether its writer meant the field. */
import type { ChainVersion, Intent, ReportChain, ReportDocument } from '../document.ts';
import { html, type Html } from '../html-text.ts';

const INTENT: { readonly [intent in Intent]: string } = {
  created: 'created it',
  meant: 'meant it',
  carried: 'carried it along, unchanged',
  reverted: '✗ carried an old value back',
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
  const rows = chain.versions.map((version) => versionRow(version, chain.field === ''));
  return html`<h3 id="chain-${index}">${chain.object}</h3>
    <div class="wide" tabindex="0" role="region" aria-labelledby="chain-${index}">
      <table class="chain">
        <thead>
          <tr>
            <th scope="col">Version</th>
            <th scope="col">Writer</th>
            <th scope="col">Request</th>
            <th scope="col">Content of</th>
            <th scope="col">Named</th>
            <th scope="col">${head}</th>
            <th scope="col">Intent</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
}

function versionRow(version: ChainVersion, whole: boolean): Html {
  const { revision, actor, request, base, under, value, intent, role } = version;
  const mixed = base !== undefined && under !== undefined && base !== under;
  const mark = role === 'guilty' ? ' ✗ guilty' : role === 'victim' ? ' ◎ victim' : '';
  const meant = whole && intent === 'meant' ? '' : INTENT[intent];
  return html`<tr class="${role ?? ''}">
    <th scope="row">${revision}${mark}</th>
    <td>${actor}</td>
    <td>${request}</td>
    <td class="${mixed ? 'mixed' : ''}">${base ?? '–'}${mixed ? ' ≠' : ''}</td>
    <td>${under ?? '–'}</td>
    <td><code>${value}</code></td>
    <td>${meant}</td>
  </tr>`;
}
