/** Checks of a page's behaviour. Each name states the expected behaviour; a failed check throws what it found. */
import { strict as assert } from 'node:assert';
import type { Page } from 'playwright-core';

export interface Check {
  readonly name: string;
  run(page: Page): Promise<void>;
}

async function text(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().textContent()) ?? '';
}

/** Parses `20 of 38 events`. */
async function shown(page: Page): Promise<{ readonly count: number; readonly all: number }> {
  const [, count = '', all = ''] = /(\d+) of (\d+)/.exec(await text(page, '#count')) ?? [];
  return { count: Number(count), all: Number(all) };
}

/** For the finding in the README. */
export const CHECKS: readonly Check[] = [
  {
    name: 'shows the sentence, the guilty row and the command before anything else',
    run: async (page) => {
      assert.match(await text(page, 'header .sentence'), /^controller reverted writer-1's acknowledged spec\.replicas/);
      assert.match(await text(page, 'header code'), /^npx stalemate replay /);
      assert.match(await text(page, '#story li.guilty'), /writer-1's change is gone/);
      assert.match(await text(page, '#story li.deviation'), /preemption 1 of 1.*without it: passes/s);
    },
  },
  {
    name: 'shows the cache at the clicked step',
    run: async (page) => {
      await page.locator('#story li.operation', { hasText: '409 Conflict' }).click();
      assert.match(await text(page, '#moment'), /^step 4/);
      assert.match(await text(page, '.against thead'), /version 12.*version 9, 1 behind/s);
      assert.match(await text(page, '.against tbody'), /spec\.replicas41 ≠/);
      assert.equal(await page.locator('#story [aria-selected=true]').count(), 1);
    },
  },
  {
    name: 'scrubs with the keyboard, in the slider and in the story',
    run: async (page) => {
      await page.locator('#scrub').focus();
      await page.keyboard.press('Home');
      const first = await text(page, '#moment');
      await page.keyboard.press('ArrowRight');
      assert.notEqual(await text(page, '#moment'), first);
      assert.equal(await page.locator('#scrub').getAttribute('aria-valuetext'), await text(page, '#moment'));
      await page.locator('#story ol').focus();
      await page.keyboard.press('End');
      assert.match(await text(page, '#story [aria-selected=true]'), /writer-1's change is gone/);
      await page.keyboard.press('ArrowUp');
      assert.match(await text(page, '#moment'), /^step 5/);
    },
  },
  {
    name: 'filters the history by actor, verb, object and text, and clears the filters',
    run: async (page) => {
      const before = await shown(page);
      assert.equal(before.count, before.all);
      await page.locator('#filter-actor').selectOption('controller');
      const ofActor = await shown(page);
      assert.ok(ofActor.count > 0 && ofActor.count < before.count, 'an actor has fewer events than all');
      await page.locator('#filter-verb').selectOption('update');
      await page.locator('#filter-object').selectOption('deployments/web');
      await page.locator('#filter-text').fill('409 conflict');
      assert.equal((await shown(page)).count, 1);
      assert.match(await text(page, '#event-space [role=row]'), /409 Conflict/);
      await page.locator('#clear').click();
      assert.deepEqual(await shown(page), before);
    },
  },
  {
    name: 'shows the causes of a row',
    run: async (page) => {
      await page.locator('#story li.guilty').click();
      await page.locator('#ancestry').click();
      assert.equal(await page.locator('#ancestry').getAttribute('aria-pressed'), 'true');
      const { count, all } = await shown(page);
      assert.ok(count >= 3 && count < all / 2, `few events led to it, got ${count} of ${all}`);
      assert.match(await text(page, '#event-space'), /PATCH deployments\/web replicas=4/);
      await page.locator('.causes button').first().click();
      assert.match(await text(page, '#event-detail'), /GET deployments\/web ➜ 12/);
      await page.locator('#clear').click();
    },
  },
  {
    name: 'navigates the history with the keyboard',
    run: async (page) => {
      await page.locator('#events').focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowDown');
      const row = page.locator('#event-space [aria-selected=true]');
      assert.equal(await row.getAttribute('aria-rowindex'), '3');
      assert.equal(await page.locator('#events').getAttribute('aria-activedescendant'), await row.getAttribute('id'));
    },
  },
  {
    name: 'copies a command',
    run: async (page) => {
      const button = page.locator('header [data-copy]');
      await button.click();
      await page.locator('header [data-copy]', { hasText: 'Copied' }).waitFor();
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), await button.getAttribute('data-copy'));
      assert.match(await text(page, '#said'), /^Copied: npx stalemate replay/);
    },
  },
];

/** Checks that nothing overflows the page horizontally; wide content must scroll in a box of its own. */
export async function overflow(page: Page): Promise<string | undefined> {
  const [wide, room] = await page.evaluate<readonly [number, number]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  );
  return wide > room ? `the page is ${wide} pixels wide in a window of ${room}` : undefined;
}
