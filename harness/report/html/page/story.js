/**
 * Makes the story's rows selectable, by pointer and arrow keys.
 *
 * @import { Moments } from './moment.js'
 */

/** @param {Moments} moments */
export function installStory(moments) {
  const list = document.querySelector('#story ol');
  if (!(list instanceof HTMLElement)) return;
  const rows = [...list.children].filter((row) => row instanceof HTMLElement);
  const ticks = rows.map((row) => Number(row.dataset['at']));
  let selected = -1;

  /** @param {number} index */
  const mark = (index) => {
    rows[selected]?.setAttribute('aria-selected', 'false');
    selected = index;
    const row = rows[index];
    if (row === undefined) return;
    row.setAttribute('aria-selected', 'true');
    list.setAttribute('aria-activedescendant', row.id);
  };
  /** @param {number} index */
  const go = (index) => {
    const target = Math.max(0, Math.min(rows.length - 1, index));
    moments.selectTick(ticks[target] ?? 0);
    // Rows may share a moment, so mark the selected row itself.
    mark(target);
    rows[target]?.scrollIntoView({ block: 'nearest' });
  };

  moments.listen((tick) => {
    if (ticks[selected] !== tick) mark(ticks.findLastIndex((at) => at <= tick));
  });
  list.addEventListener('click', (event) => {
    const row = event.target instanceof Element ? event.target.closest('li') : null;
    if (row !== null) go(rows.indexOf(row));
  });
  list.addEventListener('keydown', (event) => {
    const step = { ArrowDown: selected + 1, ArrowUp: selected - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    go(step);
  });
}
