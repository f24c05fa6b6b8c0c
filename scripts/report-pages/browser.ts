/** Opens a page in a headless Chromium, and collects its errors. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';

/** The usual paths of Chromium; CHROMIUM overrides them. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium'];

export interface Look {
  readonly width: number;
  readonly height: number;
  readonly scheme: 'light' | 'dark';
}

/** A browser context with one page. */
export interface Opened {
  readonly page: Page;
  /** Errors, policy violations and attempted requests. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export async function startBrowser(): Promise<Browser> {
  const named = process.env['CHROMIUM'];
  const program = named ?? PLACES.find((place) => existsSync(place));
  if (program === undefined || !existsSync(program)) {
    throw new Error(
      `got no browser at ${named ?? PLACES.join(', ')}, expected Chromium: install it ("apt-get install chromium") or name it in CHROMIUM`,
    );
  }
  // Without a sandbox: containers usually cannot create one, and the pages are ours.
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', '--force-device-scale-factor=1'] });
}

/** Opens a file, and waits until its script has run. */
export async function open(browser: Browser, file: string, look: Look): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.height },
    colorScheme: look.scheme,
    permissions: ['clipboard-read', 'clipboard-write'],
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const url = pathToFileURL(file).href;
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => {
    if (request.url() !== url) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  await page.locator('html[data-ready=true]').waitFor({ state: 'attached' });
  return { page, complaints, close: () => context.close() };
}

/** Takes a reproducible screenshot of the whole page. */
export async function shoot(page: Page, picture: string): Promise<void> {
  await page.screenshot({ path: picture, fullPage: true, animations: 'disabled', caret: 'hide' });
}

export async function photograph(browser: Browser, file: string, look: Look, picture: string): Promise<void> {
  const opened = await open(browser, file, look);
  await shoot(opened.page, picture);
  await opened.close();
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Returns serious accessibility problems found by axe, one line each. */
export async function barriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: { run(): Promise<AxeResult> } };
    return (await axe.run()).violations;
  });
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}, at ${nodes.map(({ target }) => target.join(' ')).join('; ')}`);
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly string[] }[];
  }[];
}
