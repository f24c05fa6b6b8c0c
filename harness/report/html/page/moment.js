/**
 * The selected moment, shared by the story, the caches and the history.
 *
 * @import { ReportDocument } from '../document.ts'
 */

/** The ticks at which something visible changes, in order, and the selected one. */
export class Moments {
  /** @type {readonly number[]} */
  ticks;
  /** @type {number} */
  index;
  /** @type {((tick: number) => void)[]} */
  #listeners = [];

  /** @param {ReportDocument} report */
  constructor(report) {
    const all = new Set(report.story.rows.map(({ at }) => at));
    const first = Math.min(...all);
    for (const { live, caches } of report.views) {
      for (const { at } of live) if (at >= first) all.add(at);
      for (const { told } of caches) for (const { at } of told) if (at >= first) all.add(at);
    }
    this.ticks = [...all].sort((a, b) => a - b);
    const guilty = report.story.rows.find((row) => 'guilty' in row && row.guilty);
    this.index = guilty === undefined ? Math.max(0, this.ticks.length - 1) : this.ticks.indexOf(guilty.at);
  }

  /** @returns {number} */
  get tick() {
    return this.ticks[this.index] ?? 0;
  }

  /** @param {(tick: number) => void} listener */
  listen(listener) {
    this.#listeners.push(listener);
  }

  /** @param {number} index */
  select(index) {
    this.index = Math.max(0, Math.min(this.ticks.length - 1, index));
    for (const listener of this.#listeners) listener(this.tick);
  }

  /**
   * Selects the last moment at or before a tick.
   *
   * @param {number} tick
   */
  selectTick(tick) {
    this.select(this.ticks.findLastIndex((at) => at <= tick));
  }
}
