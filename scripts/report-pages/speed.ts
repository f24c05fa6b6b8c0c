/** Measures how fast a page with very many events is. The figures are printed, not checked, because machines differ. */
import type { Page } from 'playwright-core';

export interface Speed {
  readonly paintMs: number;
  readonly readyMs: number;
  readonly filterMs: number;
  readonly searchMs: number;
  /** The longest frame while the list scrolls from top to bottom. */
  readonly frameMs: number;
}

/** Runs in the page: a measurement ends with the second frame after the action, when its result is visible. */
const MEASURE = `(async () => {
  const frames = async (count) => { for (let i = 0; i < count; i++) await new Promise(requestAnimationFrame); };
  const timed = async (act) => { await frames(2); const from = performance.now(); act(); await frames(2); return performance.now() - from; };
  const set = (id, value, event) => { const field = document.getElementById(id); field.value = value; field.dispatchEvent(new Event(event)); };
  const second = document.querySelector('#filter-actor option:nth-child(2)').value;
  const filterMs = await timed(() => set('filter-actor', second, 'change'));
  document.getElementById('filter-text').focus();
  const searchMs = await timed(() => set('filter-text', 'conflict web-3', 'input'));
  await timed(() => document.getElementById('clear').click());
  const box = document.getElementById('events');
  let frameMs = 0;
  for (let step = 0; step <= 100; step++) {
    const from = performance.now();
    box.scrollTop = (box.scrollHeight * step) / 100;
    await frames(1);
    frameMs = Math.max(frameMs, performance.now() - from);
  }
  const [paint] = performance.getEntriesByName('first-contentful-paint');
  const [navigation] = performance.getEntriesByType('navigation');
  return { paintMs: paint.startTime, readyMs: navigation.domContentLoadedEventEnd, filterMs, searchMs, frameMs };
})()`;

export async function measure(page: Page): Promise<Speed> {
  return page.evaluate(MEASURE);
}
