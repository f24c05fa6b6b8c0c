/**
 * A list of any length that only has elements for the visible rows.
 *
 * @import { EventTable } from '../event-table.ts'
 */
import { byId, make, plain, timeText } from './dom.js';

/** Height of a row in pixels, as in the style sheet. */
const ROW = 28;
const CELLS = 6;
/** Rows drawn above and below the visible ones. */
const SPARE = 8;
/** Browsers misplace elements in boxes that are taller than this, in pixels; longer lists are scrolled in proportion. */
const HEIGHT_MAX = 8_000_000;
const KINDS = ['read', 'write', 'refused', 'delivery', 'stream', 'process', 'decision', 'phase', 'log'];

export class HistoryList {
  /** @type {EventTable} */
  #table;
  /** @type {HTMLElement} */
  #box = byId('events');
  /** @type {HTMLElement} */
  #space = byId('event-space');
  /** @type {Int32Array} */
  #rows = new Int32Array(0);
  /** Selected row of the table; -1 for none. */
  selected = -1;
  /** @type {(row: number) => void} */
  #onSelect;
  #first = -1;
  #last = -1;
  /** @type {Row[]} */
  #pool = [];
  #asked = false;

  /** @param {EventTable} table @param {(row: number) => void} onSelect */
  constructor(table, onSelect) {
    this.#table = table;
    this.#onSelect = onSelect;
    this.#box.addEventListener('scroll', () => this.#drawSoon(), { passive: true });
    this.#box.addEventListener('keydown', (event) => this.#key(event));
    this.#space.addEventListener('click', (event) => {
      const row = event.target instanceof Element ? event.target.closest('[data-row]') : null;
      if (row instanceof HTMLElement) this.select(Number(row.dataset['row']));
    });
    new ResizeObserver(() => this.#draw()).observe(this.#box);
  }

  /** @param {Int32Array} rows */
  show(rows) {
    this.#rows = rows;
    this.#space.style.height = `${Math.min(HEIGHT_MAX, rows.length * ROW)}px`;
    this.#box.setAttribute('aria-rowcount', String(rows.length + 1));
    this.#first = -1;
    this.#reveal(this.#place(this.selected));
    this.#draw();
  }

  /** @param {number} row */
  select(row) {
    this.selected = row;
    this.#reveal(this.#place(row));
    this.#first = -1;
    this.#draw();
    this.#onSelect(row);
  }

  /** @returns {number} */
  get #headHeight() {
    return ROW;
  }

  /** Number of rows per pixel of scrolling. */
  get #scale() {
    const height = this.#rows.length * ROW;
    return height <= HEIGHT_MAX ? 1 : height / HEIGHT_MAX;
  }

  /** @param {number} row */
  #place(row) {
    if (row < 0) return -1;
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#rows[middle] ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    return this.#rows[low] === row ? low : -1;
  }

  /** @param {number} place */
  #reveal(place) {
    if (place < 0) return;
    const room = this.#box.clientHeight - this.#headHeight - ROW;
    const top = (place * ROW) / this.#scale;
    if (top < this.#box.scrollTop) this.#box.scrollTop = top;
    else if (top > this.#box.scrollTop + room) this.#box.scrollTop = top - room / 2;
  }

  /** Draws in the next frame: several scroll events may arrive per frame, and only the last position matters. */
  #drawSoon() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      this.#draw();
    });
  }

  #draw() {
    const scale = this.#scale;
    const top = this.#box.scrollTop;
    const first = Math.max(0, Math.floor((top * scale) / ROW) - SPARE);
    const last = Math.min(this.#rows.length, Math.ceil((top * scale + this.#box.clientHeight) / ROW) + SPARE);
    if (first === this.#first && last === this.#last) return;
    this.#first = first;
    this.#last = last;
    // Row elements are created once and reused: creating hundreds of elements per frame would stall the page.
    while (this.#pool.length < last - first) this.#pool.push(new Row(this.#table));
    for (let place = first; place < last; place++) {
      const row = this.#rows[place] ?? 0;
      const y = top + (place * ROW - top * scale);
      this.#pool[place - first]?.fill(row, place, y, row === this.selected);
    }
    const drawn = this.#pool.slice(0, last - first);
    if (this.#space.childElementCount !== drawn.length)
      this.#space.replaceChildren(...drawn.map(({ element }) => element));
    const shown = this.#place(this.selected);
    if (shown >= first && shown < last) this.#box.setAttribute('aria-activedescendant', `event-${this.selected}`);
    else this.#box.removeAttribute('aria-activedescendant');
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const page = Math.max(1, Math.floor(this.#box.clientHeight / ROW) - 2);
    const here = this.#place(this.selected);
    const target = {
      ArrowDown: here + 1,
      ArrowUp: here - 1,
      PageDown: here + page,
      PageUp: here - page,
      Home: 0,
      End: this.#rows.length - 1,
    }[event.key];
    if (target === undefined || this.#rows.length === 0) return;
    event.preventDefault();
    this.select(this.#rows[Math.max(0, Math.min(this.#rows.length - 1, target))] ?? 0);
  }
}

/** One visible row. */
class Row {
  element = make('div', { role: 'row' }, []);
  /** @type {Text[]} */
  #texts = [];
  /** @type {EventTable} */
  #table;

  /** @param {EventTable} table */
  constructor(table) {
    this.#table = table;
    for (let cell = 0; cell < CELLS; cell++) {
      const text = document.createTextNode('');
      this.#texts.push(text);
      this.element.append(make('span', { role: 'gridcell' }, [text]));
    }
  }

  /** @param {number} row @param {number} place @param {number} y @param {boolean} selected */
  fill(row, place, y, selected) {
    const { texts, at, timeMs, kind, actor, verb, object, text } = this.#table;
    const word = (/** @type {number | undefined} */ index) => plain(texts[index ?? -1] ?? '');
    const cells = [
      String(at[row] ?? ''),
      timeText(timeMs[row] ?? 0),
      word(actor[row]),
      word(verb[row]),
      word(object[row]),
      word(text[row]),
    ];
    this.#texts.forEach((node, cell) => {
      if (node.data !== cells[cell]) node.data = cells[cell] ?? '';
    });
    const { element } = this;
    element.id = `event-${row}`;
    element.className = `event-row kind-${KINDS[kind[row] ?? 0] ?? ''}`;
    element.setAttribute('aria-rowindex', String(place + 2));
    element.setAttribute('aria-selected', String(selected));
    element.dataset['row'] = String(row);
    element.style.transform = `translateY(${y}px)`;
  }
}
