/**
 * `npm run check-package [-- NAME…]`: tests the released artifacts as users would: the npm package in an empty folder on the oldest
 * supported Node, the package of the API server in another, the archive and its bill of materials, the archive under `go test` and pytest,
 * and the image with a Go program.
 *
 * A check without its toolchain or container engine is skipped with a message. Exit code 1 if a check failed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkApiServer } from './check-package/api-server.ts';
import { checkArchiveBill } from './check-package/bill.ts';
import { checkImage } from './check-package/image.ts';
import { checkInstalled } from './check-package/installed.ts';
import { LeftOut } from './check-package/steps.ts';
import { checkGoTest, checkPytest } from './check-package/wrappers.ts';

const CHECKS: { readonly [name: string]: (scratch: string) => void | Promise<void> } = {
  installed: checkInstalled,
  apiserver: checkApiServer,
  archive: checkArchiveBill,
  go: checkGoTest,
  pytest: checkPytest,
  image: checkImage,
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(CHECKS, name));
if (unknown === undefined) process.exitCode = await runChecks();
else {
  console.error(`check-package: got "${unknown}", expected some of ${Object.keys(CHECKS).join(', ')}`);
  process.exitCode = 2;
}

async function runChecks(): Promise<number> {
  let failed = 0;
  for (const [name, check] of Object.entries(CHECKS)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const scratch = mkdtempSync(join(tmpdir(), `stalemate-${name}-`));
    const began = Date.now();
    const say = (outcome: string): void =>
      console.log(`${name.padEnd(10)} ${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${outcome}`);
    try {
      await check(scratch);
      say('ok');
    } catch (error) {
      if (!(error instanceof LeftOut)) failed += 1;
      say(
        error instanceof LeftOut
          ? `skipped: ${error.message}`
          : `FAILED: ${error instanceof Error ? error.message : String(error)}`,
      );
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  return failed === 0 ? 0 : 1;
}
