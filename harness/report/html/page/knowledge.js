/**
 * Cache and live state: what the server had and what each actor had received, at the selected moment.
 *
 * @import { ObjectView, ReportDocument, Sight, ToldSights } from '../document.ts'
 * @import { Moments } from './moment.js'
 */
import { byId, draw, make, timeText, plain } from './dom.js';

const WIDTH = 360;
const UNSET = 'not set';
const LANE = 22;
const NAMES = 114;

/** @param {ReportDocument} report @param {Moments} moments */
export function installKnowledge(report, moments) {
  const slider = document.getElementById('scrub');
  if (!(slider instanceof HTMLInputElement)) return;
  slider.max = String(Math.max(0, moments.ticks.length - 1));
  slider.addEventListener('input', () => moments.select(Number(slider.value)));
  byId('earlier').addEventListener('click', () => moments.select(moments.index - 1));
  byId('later').addEventListener('click', () => moments.select(moments.index + 1));
  const times = timesByTick(report);
  const panels = report.views.map((view) => new Panel(view, moments.ticks));
  byId('views').replaceChildren(...panels.map(({ element }) => element));

  moments.listen((tick) => {
    slider.value = String(moments.index);
    const row = report.story.rows.findLast(({ at }) => at <= tick);
    const step = row !== undefined && 'number' in row ? `step ${row.number}: ${row.actor}` : 'between steps';
    const text = plain(`${step} · tick ${Math.floor(tick)}${timeAt(times, tick)}`);
    byId('moment').textContent = text;
    slider.setAttribute('aria-valuetext', text);
    for (const panel of panels) panel.show(tick, moments.index);
  });
}

/** @param {ReportDocument} report */
function timesByTick({ events }) {
  return new Map(events.at.map((at, row) => [at, events.timeMs[row] ?? 0]));
}

/** @param {ReadonlyMap<number, number>} times @param {number} tick */
function timeAt(times, tick) {
  const time = times.get(tick);
  return time === undefined ? '' : ` · ${timeText(time)}`;
}

class Panel {
  /** @type {HTMLElement} */
  element;
  /** @type {ObjectView} */
  #view;
  /** @type {readonly number[]} */
  #ticks;
  /** @type {HTMLElement} */
  #table;
  /** @type {SVGElement} */
  #cursor;

  /** @param {ObjectView} view @param {readonly number[]} ticks */
  constructor(view, ticks) {
    this.#view = view;
    this.#ticks = ticks;
    this.#cursor = draw('line', { class: 'cursor', y1: 0, y2: LANE * (view.caches.length + 1) }, []);
    this.#table = make('table', { class: 'against' }, []);
    const region = { class: 'wide', tabindex: '0', role: 'region', 'aria-label': `${view.object}: cache against live` };
    this.element = make('div', { class: 'view' }, [
      make('h3', {}, [view.object]),
      this.#strip(),
      make('div', region, [this.#table]),
    ]);
  }

  /** @param {number} tick @param {number} index */
  show(tick, index) {
    const x = this.#x(index);
    this.#cursor.setAttribute('x1', String(x));
    this.#cursor.setAttribute('x2', String(x));
    const { live, caches, leaves } = this.#view;
    const now = sightAt(live, tick);
    const received = caches.map((cache) => ({ name: nameOf(cache), sight: sightAt(cache.told, tick) }));
    const heads = received.map(({ name, sight }) =>
      make('th', { scope: 'col' }, [name, make('small', {}, [behindText(live, now, sight)])]),
    );
    const head = make('tr', {}, [
      make('th', { scope: 'col' }, ['API server', make('small', {}, [versionText(now)])]),
      ...heads,
    ]);
    const columns = String(received.length + 1);
    const bodies = leaves.flatMap((leaf, place) => {
      const value = valueAt(now, place);
      // A row that is unset everywhere is left out, except the first one, which is the finding's field.
      const unset = [value, ...received.map(({ sight }) => valueAt(sight, place))].every((text) => text === UNSET);
      if (unset && place > 0) return [];
      const cells = received.map(({ sight }) => {
        const seen = valueAt(sight, place);
        const differs = sight !== undefined && seen !== value;
        return make('td', differs ? { class: 'differs' } : {}, [sight === undefined ? '?' : seen, differs ? ' ≠' : '']);
      });
      return make('tbody', {}, [
        make('tr', {}, [make('th', { scope: 'rowgroup', colspan: columns }, [leaf])]),
        make('tr', {}, [make('td', {}, [value]), ...cells]),
      ]);
    });
    this.#table.replaceChildren(make('thead', {}, [head]), ...bodies);
  }

  /** Draws one lane of versions for the server and, below it, one for each reader. Dashed versions are older than the server's. */
  #strip() {
    const { live, caches, object } = this.#view;
    const height = LANE * (caches.length + 1);
    const lanes = [
      this.#lane('API server', live, 0, () => false),
      ...caches.map((cache, index) =>
        this.#lane(nameOf(cache), cache.told, index + 1, (sight, from) => isBehind(live, sight, from)),
      ),
    ];
    const label = `${object}: versions at the server and as each reader received them, over the moments of the story`;
    return draw('svg', { class: 'lanes', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': label }, [
      ...lanes.flat(),
      this.#cursor,
    ]);
  }

  /**
   * @param {string} name
   * @param {readonly Sight[]} sights
   * @param {number} lane
   * @param {(sight: Sight, from: number) => boolean} behind
   */
  #lane(name, sights, lane, behind) {
    const y = lane * LANE;
    const out = [draw('text', { class: 'lane-name', x: 0, y: y + 15 }, [cutText(name, 17)])];
    const changes = [...this.#view.live.map(({ at }) => at), ...sights.map(({ at }) => at)];
    const cuts = [...new Set(changes)].sort((a, b) => a - b);
    /** @type {{ readonly kind: string, readonly text: string, readonly x: number }[]} */
    const spans = [];
    for (const from of cuts) {
      const sight = sightAt(sights, from);
      if (sight === undefined) continue;
      const kind = sight.gone ? 'span gone' : behind(sight, from) ? 'span stale' : 'span';
      const text = sight.gone ? 'gone' : String(sight.revision);
      const last = spans.at(-1);
      if (last?.kind === kind && last.text === text) continue;
      spans.push({ kind, text, x: this.#x(this.#index(from)) });
    }
    spans.forEach(({ kind, text, x }, place) => {
      const width = (spans[place + 1]?.x ?? WIDTH) - x;
      if (width <= 0) return;
      out.push(draw('rect', { class: kind, x, y: y + 3, width, height: LANE - 6 }, []));
      if (width > text.length * 7 + 4) out.push(draw('text', { class: 'version', x: x + 3, y: y + 15 }, [text]));
    });
    return out;
  }

  /** @param {number} tick */
  #index(tick) {
    return Math.max(
      0,
      this.#ticks.findLastIndex((at) => at <= tick),
    );
  }

  /** @param {number} index */
  #x(index) {
    return NAMES + ((WIDTH - NAMES) * index) / Math.max(1, this.#ticks.length);
  }
}

/** @param {ToldSights} cache */
function nameOf({ actor, via }) {
  return via === 'watch' ? `${actor} cache` : `${actor} asked`;
}

/** @param {readonly Sight[]} sights @param {number} tick */
function sightAt(sights, tick) {
  return sights.findLast(({ at }) => at <= tick);
}

/** @param {readonly Sight[]} live @param {Sight} sight @param {number} tick */
function isBehind(live, sight, tick) {
  const now = sightAt(live, tick);
  return now !== undefined && now.revision > sight.revision;
}

/** @param {Sight | undefined} sight @param {number} place */
function valueAt(sight, place) {
  if (sight === undefined) return '–';
  return sight.gone ? 'gone' : (sight.values[place] ?? UNSET);
}

/** @param {Sight | undefined} sight */
function versionText(sight) {
  if (sight === undefined) return 'not there yet';
  return sight.gone ? `gone at ${sight.revision}` : `version ${sight.revision}`;
}

/** @param {readonly Sight[]} live @param {Sight | undefined} now @param {Sight | undefined} received */
function behindText(live, now, received) {
  if (received === undefined) return 'nothing received yet';
  if (now === undefined || received.revision >= now.revision) return `${versionText(received)}, up to date`;
  const missing = live.filter(({ revision }) => revision > received.revision && revision <= now.revision).length;
  return `◔ ${versionText(received)}, ${missing} behind`;
}

/** @param {string} text @param {number} max */
function cutText(text, max) {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
