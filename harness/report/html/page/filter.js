/**
 * Selects the rows of the history that are shown, in one pass over columns of numbers.
 *
 * @import { EventTable } from '../event-table.ts'
 */

/**
 * A filter. `-2` matches anything.
 *
 * @typedef {object} Wanted
 * @property {number} actor index of a text
 * @property {number} verb index of a text
 * @property {number} object index of a text
 * @property {number} kind
 * @property {string} text words that must all occur, in lower case
 * @property {ReadonlySet<number> | undefined} among rows
 */

export const ANY = -2;

/**
 * Returns the matching rows, in order.
 *
 * @param {EventTable} table
 * @param {Wanted} wanted
 */
export function matchingRows(table, wanted) {
  const hits = new Int32Array(table.at.length);
  const words = wanted.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const fits = words.length === 0 ? undefined : textFits(table.texts, words);
  let count = 0;
  for (let row = 0; row < hits.length; row++) {
    if (wanted.actor !== ANY && table.actor[row] !== wanted.actor) continue;
    if (wanted.verb !== ANY && table.verb[row] !== wanted.verb) continue;
    if (wanted.object !== ANY && table.object[row] !== wanted.object) continue;
    if (wanted.kind !== ANY && table.kind[row] !== wanted.kind) continue;
    if (wanted.among !== undefined && !wanted.among.has(row)) continue;
    if (fits !== undefined && !rowFits(table, row, fits, words.length)) continue;
    hits[count++] = row;
  }
  return hits.subarray(0, count);
}

/** @type {string[]} */
const LOWER = [];

/**
 * Returns the first `until` texts in lower case. Each is converted once, and cached for further key strokes.
 *
 * @param {readonly string[]} texts
 * @param {number} until
 */
function lowered(texts, until = texts.length) {
  for (let place = LOWER.length; place < until; place++) LOWER.push((texts[place] ?? '').toLowerCase());
  return LOWER;
}

/** Texts converted in one step while the page is idle. */
const AT_ONCE = 4000;

/**
 * Converts texts for searching, a few at a time, so that the first key stroke does not wait for all of them.
 *
 * @param {readonly string[]} texts
 */
export function prepareSearch(texts) {
  if (LOWER.length >= texts.length) return;
  lowered(texts, Math.min(texts.length, LOWER.length + AT_ONCE));
  // In browsers without `requestIdleCallback`, the first key stroke converts all texts.
  if ('requestIdleCallback' in window) window.requestIdleCallback(() => prepareSearch(texts));
}

/**
 * Returns, for each text, which of the words occur in it, as bits: each text is searched once, however many rows share it.
 *
 * @param {readonly string[]} texts
 * @param {readonly string[]} words
 */
function textFits(texts, words) {
  const fits = new Int32Array(texts.length);
  const lower = lowered(texts);
  for (let place = 0; place < fits.length; place++) {
    const text = lower[place] ?? '';
    let bits = 0;
    for (let word = 0; word < words.length && word < 30; word++)
      if (text.includes(words[word] ?? '')) bits |= 1 << word;
    fits[place] = bits;
  }
  return fits;
}

/** @param {EventTable} table @param {number} row @param {Int32Array} fits @param {number} words */
function rowFits(table, row, fits, words) {
  let bits = 0;
  for (const column of [table.text, table.actor, table.object, table.verb, table.label]) {
    const place = column[row] ?? -1;
    if (place >= 0) bits |= fits[place] ?? 0;
  }
  const all = 2 ** Math.min(words, 30) - 1;
  return bits === all;
}

/**
 * Returns a row and all rows that it follows from.
 *
 * @param {EventTable} table
 * @param {number} row
 */
export function ancestryOf(table, row) {
  const found = new Set([row]);
  const open = [row];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const cause of table.causes[next] ?? []) {
      if (found.has(cause)) continue;
      found.add(cause);
      open.push(cause);
    }
  }
  return found;
}
