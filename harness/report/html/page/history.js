/**
 * The raw history: filters by actor, verb, object, kind, text and causal ancestry, and the details of one row.
 *
 * @import { ReportDocument } from '../document.ts'
 * @import { Moments } from './moment.js'
 */
import { byId, make, timeText } from './dom.js';
import { ANY, ancestryOf, matchingRows, prepareSearch } from './filter.js';
import { HistoryList } from './history-list.js';

const KIND_NAMES = [
  'reads',
  'writes',
  'refused',
  'watch events',
  'ends of watches',
  'process',
  'schedule',
  'phases',
  'log lines',
];
const COLUMNS = /** @type {const} */ (['actor', 'verb', 'object']);

/** @param {ReportDocument} report @param {Moments} moments */
export function installHistory({ events }, moments) {
  const search = byId('filter-text');
  const ancestry = byId('ancestry');
  if (!(search instanceof HTMLInputElement)) return;
  /** @type {ReadonlySet<number> | undefined} */
  let among;
  // The story has fewer moments than the history has rows: a row selected here stays selected, whichever moment the story
  // shows.
  let own = false;
  const list = new HistoryList(events, (row) => {
    own = true;
    moments.selectTick(events.at[row] ?? 0);
    own = false;
    detail(row);
  });

  /** @type {Int32Array} */
  let rows = new Int32Array(0);
  const refresh = () => {
    rows = matchingRows(events, {
      actor: chosen('actor'),
      verb: chosen('verb'),
      object: chosen('object'),
      kind: chosen('kind'),
      text: search.value,
      among,
    });
    list.show(rows);
    byId('count').textContent = `${rows.length} of ${events.at.length} events`;
  };
  /** @param {ReadonlySet<number> | undefined} rows */
  const restrict = (rows) => {
    among = rows;
    ancestry.setAttribute('aria-pressed', String(rows !== undefined));
    refresh();
  };
  /** @param {number} row */
  const detail = (row) => byId('event-detail').replaceChildren(...detailNodes(row));
  /** @param {number} row */
  const detailNodes = (row) => {
    const word = (/** @type {number | undefined} */ index) => events.texts[index ?? -1] ?? '';
    const causes = (events.causes[row] ?? []).map((cause) => {
      const text = `${events.at[cause] ?? ''} ${word(events.actor[cause])}: ${word(events.text[cause])}`;
      const button = make('button', { type: 'button' }, [text]);
      button.addEventListener('click', () => list.select(cause));
      return make('li', {}, [button]);
    });
    const body = events.bodies[String(row)];
    const label = word(events.label[row]);
    return [
      make('p', {}, [
        make('b', {}, [word(events.actor[row])]),
        ` at tick ${events.at[row] ?? ''}, ${timeText(events.timeMs[row] ?? 0)}`,
      ]),
      make('p', { class: 'whole' }, [word(events.text[row])]),
      ...(label === '' ? [] : [make('p', { class: 'label' }, [make('code', {}, [label])])]),
      make('p', {}, [causes.length === 0 ? 'It follows from nothing that is recorded.' : 'It follows from:']),
      make('ul', { class: 'causes' }, causes),
      ...(body === undefined
        ? []
        : [
            make('p', {}, ['The request:']),
            make('pre', { tabindex: '0', role: 'region', 'aria-label': 'The body of the request' }, [body]),
          ]),
    ];
  };

  for (const name of COLUMNS) fillSelect(name, events.texts, events[name], refresh);
  fillKinds(events.kind, refresh);
  search.addEventListener('input', refresh);
  search.addEventListener('focus', () => prepareSearch(events.texts), { once: true });
  ancestry.addEventListener('click', () => {
    const row = list.selected < 0 ? rowAt(events.at, moments.tick) : list.selected;
    if (among === undefined && row >= 0) {
      list.selected = row;
      detail(row);
      restrict(ancestryOf(events, row));
    } else restrict(undefined);
  });
  byId('clear').addEventListener('click', () => {
    for (const name of [...COLUMNS, 'kind']) /** @type {HTMLSelectElement} */ (byId(`filter-${name}`)).value = '';
    search.value = '';
    restrict(undefined);
  });
  moments.listen((tick) => {
    const row = rowAt(events.at, tick);
    if (own || row < 0 || events.at[list.selected] === tick) return;
    list.selected = row;
    list.show(rows);
    detail(row);
  });
  refresh();
}

/**
 * Returns the last row at or before a tick.
 *
 * @param {readonly number[]} at
 * @param {number} tick
 */
function rowAt(at, tick) {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) <= tick) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** @param {string} name */
function chosen(name) {
  const { value } = /** @type {HTMLSelectElement} */ (byId(`filter-${name}`));
  return value === '' ? ANY : Number(value);
}

/**
 * @param {string} name
 * @param {readonly string[]} texts
 * @param {readonly number[]} column
 * @param {() => void} refresh
 */
function fillSelect(name, texts, column, refresh) {
  const places = [...new Set(column)].filter((place) => place >= 0);
  places.sort((a, b) => ((texts[a] ?? '') < (texts[b] ?? '') ? -1 : 1));
  const select = byId(`filter-${name}`);
  select.append(...places.map((place) => make('option', { value: String(place) }, [texts[place] ?? ''])));
  select.addEventListener('change', refresh);
}

/** @param {readonly number[]} kinds @param {() => void} refresh */
function fillKinds(kinds, refresh) {
  const select = byId('filter-kind');
  const used = [...new Set(kinds)].sort((a, b) => a - b);
  select.append(...used.map((kind) => make('option', { value: String(kind) }, [KIND_NAMES[kind] ?? ''])));
  select.addEventListener('change', refresh);
}
