/**
 * The pages of findings and of runs in a headless Chromium: they render, filter, scrub and copy, fetch nothing, complain of nothing, shut nobody
 * out (axe), and hold hostile text as text. Takes screenshots of them, the same each time, and says how quick 100,000 events are.
 *
 * `npm run check-report` (`-- --out DIR`, default `.stalemate/report-pages`). Needs Chromium; exit code 1 when a check failed.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { findingPage } from '../harness/report/html/index.ts';
import { runPage } from '../harness/report/html/run/run-page.ts';
import { redactFinding } from '../harness/report/redaction/index.ts';
import type { Scenario } from '../harness/report/run/document.ts';
import { makeRun } from '../harness/report/run/make-document.ts';
import { green, hostileRun, withFinding } from '../harness/report/run/test-run.ts';
import type { Told } from '../harness/report/story.ts';
import { writeWhole } from '../harness/report/write-files.ts';
import { CHECKS, overflow } from './report-pages/behaviour.ts';
import { barriers, open, startBrowser, type Look } from './report-pages/browser.ts';
import { example, found, hostile, HOSTILE, long } from './report-pages/findings.ts';
import { measure } from './report-pages/speed.ts';

const LOOKS: readonly Look[] = [
  { width: 1400, height: 900, scheme: 'light' },
  { width: 1400, height: 900, scheme: 'dark' },
  { width: 390, height: 844, scheme: 'light' },
  { width: 390, height: 844, scheme: 'dark' },
];
const USUAL_MAX = 1_000_000;
const MANY = 100_000;

const { values } = parseArgs({ options: { out: { type: 'string', default: '.stalemate/report-pages' } } });
const out = resolve(values.out);
const problems: string[] = [];

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Runs a check and goes on, so that a first problem hides no second one. */
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

function write(name: string, told: Told): string {
  const stem = join('.stalemate', 'failures', `${name}.json`);
  const text = findingPage(redactFinding(told), { counterexample: stem, record: stem.replace('failures', 'records') });
  const file = join(out, `${name}.html`);
  writeWhole(file, text);
  say(`\n${name}: ${Math.round(text.length / 1024)} kB`);
  if (name !== 'many-events' && text.length > USUAL_MAX) problems.push(`${name} has ${text.length} bytes`);
  return file;
}

function writeRun(name: string, scenarios: readonly Scenario[]): string {
  const file = join(out, `${name}.html`);
  const run = makeRun(scenarios, { stalemate: '0.1.0', node: '24.0.0' });
  writeWhole(
    file,
    runPage(run, (path) => path),
  );
  return file;
}

/** In every window: nothing sticks out, nothing complains, nobody is shut out; and a picture of it. */
async function look(browser: Browser, name: string, file: string): Promise<void> {
  for (const view of LOOKS) {
    const title = `${name}-${view.width}-${view.scheme}`;
    const opened = await open(browser, file, view);
    const { page, complaints } = opened;
    await page.screenshot({ path: join(out, `${title}.png`), fullPage: true, animations: 'disabled', caret: 'hide' });
    await check(`${title} fits its window`, async () => none([(await overflow(page)) ?? []].flat()));
    await check(`${title} is open to everybody`, async () => none(await barriers(page)));
    await check(`${title} complains of nothing and fetches nothing`, async () => none(complaints));
    await opened.close();
  }
}

async function behave(browser: Browser, file: string): Promise<void> {
  for (const view of LOOKS.filter(({ scheme }) => scheme === 'light')) {
    const opened = await open(browser, file, view);
    const { page, complaints } = opened;
    for (const one of CHECKS) await check(`${one.name} (${view.width})`, () => one.run(page));
    await check(`complains of nothing while it is used (${view.width})`, async () => none(complaints));
    await opened.close();
  }
}

async function resist(browser: Browser, file: string): Promise<void> {
  const opened = await open(browser, file, { width: 1400, height: 900, scheme: 'light' });
  const { page, complaints } = opened;
  await check('keeps hostile text what it is', async () => {
    for (const row of await page.locator('#event-space [role=row]').all()) await row.click();
    none((await page.title()) === 'taken' ? ['a text of the record was run'] : []);
    none((await page.locator('img').count()) === 0 ? [] : ['a text of the record became an image']);
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
  await check(`${MANY} events: complains of nothing`, async () => none(complaints));
  const speed = await measure(page);
  for (const [what, ms] of Object.entries(speed))
    say(`          ${what.replace(/Ms$/, '').padEnd(8)} ${ms.toFixed(0)} ms`);
  await opened.close();
}

mkdirSync(out, { recursive: true });
const browser = await startBrowser();
try {
  const usual = write('lost-update', example());
  await behave(browser, usual);
  await look(browser, 'lost-update', usual);
  const others = [
    ['too-many-children', 'worker-pools/duplicates-on-stale-list', 13],
    ['unbounded-rate', 'releases/retries-forever', 11],
    ['not-converged', 'releases/ignores-conflict', 11],
  ] as const;
  for (const [name, controller, seed] of others) await look(browser, name, write(name, await found(controller, seed)));
  await resist(browser, write('hostile', hostile()));
  await time(browser, write('many-events', long(MANY)));
  await look(browser, 'run', writeRun('run', [...withFinding(example()).scenarios, ...green().scenarios]));
  await look(browser, 'hostile-run', writeRun('hostile-run', hostileRun(HOSTILE).scenarios));
} finally {
  await browser.close();
}
say(`\npages and screenshots are in ${values.out}`);
say(problems.length === 0 ? 'all checks passed' : `${problems.length} checks failed:\n- ${problems.join('\n- ')}`);
process.exitCode = problems.length === 0 ? 0 : 1;
