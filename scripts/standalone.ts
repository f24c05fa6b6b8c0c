/**
 * `npm run standalone [-- --platform linux-arm64] [--folder FOLDER] [--no-archive]`: builds a folder and an archive that run without npm
 * and without an installed Node. The image is built from the folder (image.ts).
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isPlatform, PLATFORMS } from './package/node-binary.ts';
import { buildStandalone, folderTrouble } from './package/standalone.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';
import { parseFlags } from './run-main.ts';

const { values } = parseFlags({
  options: {
    platform: { type: 'string', default: `${process.platform}-${process.arch}` },
    folder: { type: 'string' },
    'no-archive': { type: 'boolean', default: false },
  },
});
const { version } = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
};

const { platform } = values;
const name = `stalemate-${version}-${platform}`;
const folder = resolve(values.folder ?? join(REPOSITORY_ROOT, 'build', name));
process.exitCode = main();

function main(): number {
  const trouble = isPlatform(platform)
    ? folderTrouble(folder)
    : `got platform "${platform}", expected one of ${Object.keys(PLATFORMS).join(', ')}`;
  if (!isPlatform(platform) || trouble !== undefined) {
    console.error(`standalone: ${trouble}`);
    return 2;
  }
  buildStandalone(platform, folder);
  console.log(relative(process.cwd(), folder));
  if (!values['no-archive']) archive(folder);
  return 0;
}

function archive(folder: string): void {
  const file = `${folder}.tar.gz`;
  const args = ['-czf', file, '--owner=0', '--group=0', '-C', dirname(folder), basename(folder)];
  const { status } = spawnSync('tar', args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`"tar" could not write ${file}`);
  console.log(`${relative(process.cwd(), file)}  ${(statSync(file).size / 1e6).toFixed(0)} MB`);
}
