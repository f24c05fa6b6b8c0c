/**
 * Takes screenshots of the pages of findings and of a run for people to look at: wide and narrow, light and dark, reproducible.
 *
 * `npm run screenshots` (`-- --out DIR`, default `.stalemate/screenshots`; `--only TEXT` for some). Needs Chromium, or its path in
 * CHROMIUM.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { photograph, startBrowser, type Look } from './report-pages/browser.ts';
import { FOUND, LOST_UPDATE, MORE, writeFinding, writeRun } from './report-pages/pages.ts';
import { parseFlags } from './run-main.ts';

const LOOKS: readonly Look[] = [1280, 400].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, height: 900, scheme })),
);

const { values } = parseFlags({
  options: {
    out: { type: 'string', default: join('.stalemate', 'screenshots') },
    only: { type: 'string', default: '' },
  },
});
const out = resolve(values.out);
const isWanted = ({ name }: { readonly name: string }): boolean => name.includes(values.only);

mkdirSync(out, { recursive: true });
const browser = await startBrowser();
try {
  const pages = [LOST_UPDATE, ...FOUND, ...MORE].filter(isWanted).map((page) => ({
    ...page,
    write: async () => writeFinding(out, page.name, await page.make()).file,
  }));
  const run = [{ name: 'run', write: () => writeRun(out, 'run') }].filter(isWanted);
  for (const { name, write } of [...pages, ...run]) {
    const file = await write();
    for (const look of LOOKS) {
      const picture = join(out, `${name}-${look.width}-${look.scheme}.png`);
      await photograph(browser, file, look, picture);
    }
    process.stdout.write(`${name}: ${LOOKS.length} pictures\n`);
  }
} finally {
  await browser.close();
}
process.stdout.write(`pages and pictures are in ${values.out}\n`);
