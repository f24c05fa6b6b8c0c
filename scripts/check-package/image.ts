/**
 * Checks the image: its size, its unprivileged user, and a campaign with a Go program in it. The base is built from packages, without a
 * container registry.
 */
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseTrouble } from '../image/base.ts';
import { ENGINE, engine, engineTrouble } from '../image/engine.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import type { Bill } from '../package/sbom.ts';
import { checkFolderBill, expectSame } from './bill.ts';
import { expectText, GO_FLAGS, goRepository, LeftOut, step } from './steps.ts';

const TAG = 'stalemate:checked';
const BYTES_MAX = 300e6;

export async function checkImage(scratch: string): Promise<void> {
  const trouble = engineTrouble() ?? baseTrouble();
  if (trouble !== undefined) throw new LeftOut(trouble);
  await goRepository(scratch);
  // The user of the container writes here.
  chmodSync(scratch, 0o777);
  step(['npm', 'run', '--silent', 'image', '--', '--base-from-packages', '--tag', TAG], REPOSITORY_ROOT);
  try {
    const { stdout } = engine(['image', 'inspect', '--format', '{{.Size}} {{.Config.User}}', TAG]);
    const [size = '', user] = stdout.trim().split(' ');
    if (user !== '65532:65532') throw new Error(`the image runs as "${user}", expected 65532:65532`);
    if (Number(size) > BYTES_MAX) throw new Error(`the image has ${size} bytes, expected at most ${BYTES_MAX}`);
    console.log(`image  ${(Number(size) / 1e6).toFixed(0)} MB`);
    checkImageBill();
    const container = [ENGINE, 'run', '--rm', '--init', '--network', 'none', '--volume', `${scratch}:/work`, TAG];
    const campaign = ['ci', ...GO_FLAGS, '--budget', '4', '--', './bin/manager', 'correct'];
    // Exit code 3 is accepted, because so few runs may be vacuous; other tests check that bugs are found.
    const { out } = step([...container, ...campaign], scratch, { codes: [0, 3] });
    expectText(out, /seed 1 · 4 runs/, 'a controller in the image');
    expectText(readFileSync(join(scratch, '.stalemate', 'junit.xml'), 'utf8'), /<testcase/, 'junit.xml of the image');
  } finally {
    engine(['image', 'rm', '--force', TAG]);
  }
}

/** Compares the bill with dpkg's list of packages in a container, and with the copied folder. */
function checkImageBill(): void {
  const context = join(REPOSITORY_ROOT, 'build', 'image', `linux-${process.arch}`);
  checkFolderBill(context);
  const bill = JSON.parse(readFileSync(`${context}.cdx.json`, 'utf8')) as Bill;
  const query = ['dpkg-query', '--show', '--showformat', '${Package} ${Version}\\n'];
  const { out } = step([ENGINE, 'run', '--rm', '--entrypoint', query[0] ?? '', TAG, ...query.slice(1)], context);
  const base = bill.components.find((one) => one['bom-ref'] === 'base');
  const listed = (base?.components ?? []).map(({ name, version }) => `${name} ${version}`);
  expectSame('packages of Debian', out.trim().split('\n'), listed);
}
