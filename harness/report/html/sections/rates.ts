/** Renders requests over run time: a small chart per actor, and the same figures as a table. */
import type { ActorRate, ReportDocument, ReportRates } from '../document.ts';
import { html, type Html } from '../html-text.ts';

const WIDTH = 600;
const HEIGHT = 44;

export function ratesSection({ rates }: ReportDocument): Html {
  if (rates.actors.length === 0) return html``;
  const spanMs = rates.buckets * rates.bucketMs;
  return html`<section id="rates" aria-labelledby="rates-head">
    <h2 id="rates-head">Requests over time</h2>
    <p>
      From the start of contention, ${timeText(spanMs)} of run time in steps of ${timeText(rates.bucketMs)}.
      ${rates.buckets === 1 ? 'No time passed between the requests: they are ordered by the schedule alone.' : ''}
    </p>
    <svg class="patterns" aria-hidden="true" width="0" height="0">
      <defs>
        <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="back" width="6" height="6" />
          <line class="line" y2="6" />
        </pattern>
      </defs>
    </svg>
    <p class="legend" ${rates.buckets === 1 ? html`hidden` : undefined}>
      <span class="key read"></span> reads <span class="key write"></span> writes
      <span class="key refused"></span> refused
    </p>
    ${rates.actors.map((actor) => actorRow(actor, rates))}
    <details>
      <summary>The same as a table</summary>
      ${table(rates)}
    </details>
  </section>`;
}

function actorRow(rate: ActorRate, rates: ReportRates): Html {
  const sums = rate.reads.map((reads, bucket) => reads + (rate.writes[bucket] ?? 0) + (rate.refused[bucket] ?? 0));
  const most = Math.max(...sums);
  const at = timeText(sums.indexOf(most) * rates.bucketMs);
  const text = `${sum(rate.reads)} reads, ${sum(rate.writes)} writes, ${sum(rate.refused)} refused${rates.buckets === 1 ? '' : `; at most ${most} in one step, at ${at}`}`;
  if (rates.buckets === 1) return html`<p><b>${rate.actor}</b> ${text}</p>`;
  const width = WIDTH / rates.buckets;
  const scale = (HEIGHT - 2) / Math.max(1, most);
  const bars = sums.flatMap((total, bucket) => {
    if (total === 0) return [];
    let y = HEIGHT;
    return [
      { count: rate.reads[bucket] ?? 0, kind: 'read' },
      { count: rate.writes[bucket] ?? 0, kind: 'write' },
      { count: rate.refused[bucket] ?? 0, kind: 'refused' },
    ].flatMap(({ count, kind }) => {
      if (count === 0) return [];
      y -= count * scale;
      const x = bucket * width;
      return [
        html`<rect
          class="${kind}"
          x="${round(x)}"
          y="${round(y)}"
          width="${round(Math.min(width * 0.9, 24))}"
          height="${round(count * scale)}"
        />`,
      ];
    });
  });
  return html`<figure class="rate">
    <figcaption><b>${rate.actor}</b> ${text}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${rate.actor}: ${text}">
      ${bars}
      <line class="axis" x1="0" x2="${WIDTH}" y1="${HEIGHT}" y2="${HEIGHT}" />
    </svg>
  </figure>`;
}

function table(rates: ReportRates): Html {
  const used = Array.from({ length: rates.buckets }, (_, bucket) => bucket).filter((bucket) =>
    rates.actors.some(({ reads, writes, refused }) => [reads, writes, refused].some((counts) => counts[bucket] !== 0)),
  );
  const heads = rates.actors.map(({ actor }) => html`<th scope="col">${actor}</th>`);
  const rows = used.map((bucket) => {
    const cells = rates.actors.map(
      ({ reads, writes, refused }) =>
        html`<td>${reads[bucket] ?? 0} / ${writes[bucket] ?? 0} / ${refused[bucket] ?? 0}</td>`,
    );
    return html`<tr>
      <th scope="row">+${timeText(bucket * rates.bucketMs)}</th>
      ${cells}
    </tr>`;
  });
  return html`<div class="wide" tabindex="0" role="region" aria-label="Requests over time as a table">
    <table>
      <thead>
        <tr>
          <th scope="col">reads / writes / refused</th>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

export function timeText(timeMs: number): string {
  if (timeMs < 1000) return `${Math.round(timeMs)} ms`;
  return timeMs < 120_000 ? `${round(timeMs / 1000)} s` : `${round(timeMs / 60_000)} min`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
