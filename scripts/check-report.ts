/**
 * Checks the pages of findings and of runs in a headless Chromium: they render, filter, scrub and copy, fetch nothing, log no errors, are
 * accessible (axe), and show hostile text as text. Takes reproducible screenshots of them, and prints how fast a page with 100,000 events
 * is.
 *
 * `npm run check-report` (`-- --out DIR`, default `.stalemate/report-pages`). Needs Chromium; exit code 1 if a check failed.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { hostileRun } from '../harness/report/run/test-run.ts';
import type { StoryInput } from '../harness/report/story.ts';
import { CHECKS, overflow } from './report-pages/behaviour.ts';
import { barriers, open, shoot, startBrowser, type Look } from './report-pages/browser.ts';
import { hostile, HOSTILE, long } from './report-pages/findings.ts';
import { FOUND, LOST_UPDATE, writeFinding, writeRun } from './report-pages/pages.ts';
import { measure } from './report-pages/speed.ts';
import { parseFlags } from './run-main.ts';

const LOOKS: readonly Look[] = [
  { width: 1400, height: 900, scheme: 'light' },
  { width: 1400, height: 900, scheme: 'dark' },
  { width: 390, height: 844, scheme: 'light' },
  { width: 390, height: 844, scheme: 'dark' },
];
const USUAL_MAX = 1_000_000;
const MANY = 100_000;

const { values } = parseFlags({ options: { out: { type: 'string', default: '.stalemate/report-pages' } } });
const out = resolve(values.out);
const problems: string[] = [];

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Runs a check and continues after a failure, so that all failures are reported. */
async function check(name: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
    say(`  ok      ${name}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push(`${name}: ${reason}`);
    say(`  FAILED  ${name}\n          ${reason.replaceAll('\n', '\n          ')}`);
  }
}

function none(found: readonly string[]): void {
  if (found.length > 0) throw new Error(found.join('\n'));
}

function write(name: string, told: StoryInput): string {
  const { file, bytes } = writeFinding(out, name, told);
  say(`\n${name}: ${Math.round(bytes / 1024)} kB`);
  if (name !== 'many-events' && bytes > USUAL_MAX) problems.push(`${name} has ${bytes} bytes`);
  return file;
}

/** In every window size and colour scheme: takes a screenshot, and checks overflow, accessibility, errors and requests. */
async function look(browser: Browser, name: string, file: string): Promise<void> {
  for (const view of LOOKS) {
    const title = `${name}-${view.width}-${view.scheme}`;
    const opened = await open(browser, file, view);
    const { page, complaints } = opened;
    await shoot(page, join(out, `${title}.png`));
    await check(`${title} fits its window`, async () => none([(await overflow(page)) ?? []].flat()));
    await check(`${title} is accessible`, async () => none(await barriers(page)));
    await check(`${title} logs no errors and fetches nothing`, async () => none(complaints));
    await opened.close();
  }
}

async function behave(browser: Browser, file: string): Promise<void> {
  for (const view of LOOKS.filter(({ scheme }) => scheme === 'light')) {
    const opened = await open(browser, file, view);
    const { page, complaints } = opened;
    for (const one of CHECKS) await check(`${one.name} (${view.width})`, () => one.run(page));
    await check(`logs no errors while it is used (${view.width})`, async () => none(complaints));
    await opened.close();
  }
}

/** For a finding with a passing run to compare with. */
async function compare(browser: Browser, file: string): Promise<void> {
  const opened = await open(browser, file, { width: 1400, height: 900, scheme: 'light' });
  await check('shows where the passing run diverges from the failing one', async () => {
    const parted = await opened.page.locator('#neighbour .parting + tr.differs').count();
    none(parted === 1 ? [] : [`${parted} rows are marked as the first difference, expected one`]);
  });
  await opened.close();
}

async function resist(browser: Browser, file: string): Promise<void> {
  const opened = await open(browser, file, { width: 1400, height: 900, scheme: 'light' });
  const { page, complaints } = opened;
  await check('shows hostile text as text', async () => {
    for (const row of await page.locator('#event-space [role=row]').all()) await row.click();
    none((await page.title()) === 'taken' ? ['text of the record was executed'] : []);
    none((await page.locator('img').count()) === 0 ? [] : ['text of the record became an image']);
    none(
      (await page.locator('header .sentence').textContent())?.includes(HOSTILE) === true
        ? []
        : ['the text is not shown'],
    );
    none(complaints);
  });
  await opened.close();
}

async function time(browser: Browser, file: string): Promise<void> {
  const opened = await open(browser, file, { width: 1400, height: 900, scheme: 'light' });
  const { page, complaints } = opened;
  await check(`${MANY} events: logs no errors`, async () => none(complaints));
  const speed = await measure(page);
  for (const [what, ms] of Object.entries(speed))
    say(`          ${what.replace(/Ms$/, '').padEnd(8)} ${ms.toFixed(0)} ms`);
  await opened.close();
}

mkdirSync(out, { recursive: true });
const browser = await startBrowser();
try {
  const usual = write(LOST_UPDATE.name, await LOST_UPDATE.make());
  await behave(browser, usual);
  await look(browser, 'lost-update', usual);
  for (const { name, make } of FOUND) {
    const file = write(name, await make());
    await look(browser, name, file);
    if (name === 'not-converged') await compare(browser, file);
  }
  await resist(browser, write('hostile', hostile()));
  await time(browser, write('many-events', long(MANY)));
  await look(browser, 'run', writeRun(out, 'run'));
  await look(browser, 'hostile-run', writeRun(out, 'hostile-run', hostileRun(HOSTILE).scenarios));
} finally {
  await browser.close();
}
say(`\npages and screenshots are in ${values.out}`);
say(problems.length === 0 ? 'all checks passed' : `${problems.length} checks failed:\n- ${problems.join('\n- ')}`);
process.exitCode = problems.length === 0 ? 0 : 1;
