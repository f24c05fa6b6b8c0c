/**
 * `npm run image [-- --tag TAG] [--base IMAGE | --base-from-packages] [--platform linux-arm64]`: builds the container image of
 * ci/Dockerfile, and writes its bill of materials next to the build context.
 */
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { baseFromPackages, baseTrouble } from './image/base.ts';
import { billOfImage, defaultBase } from './image/bill.ts';
import { engine, engineTrouble } from './image/engine.ts';
import { buildStandalone } from './package/standalone.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';
import { parseFlags } from './run-main.ts';

const PLATFORMS = { 'linux-x64': 'linux/amd64', 'linux-arm64': 'linux/arm64' } as const;

const { values } = parseFlags({
  options: {
    tag: { type: 'string', default: 'stalemate' },
    base: { type: 'string' },
    'base-from-packages': { type: 'boolean', default: false },
    platform: { type: 'string', default: `linux-${process.arch}` },
  },
});
process.exitCode = main();

function main(): number {
  const { platform } = values;
  if (platform !== 'linux-x64' && platform !== 'linux-arm64') {
    console.error(`image: got platform "${platform}", expected one of ${Object.keys(PLATFORMS).join(', ')}`);
    return 2;
  }
  const trouble = engineTrouble();
  if (trouble !== undefined) {
    console.error(`image: ${trouble}; start a container engine, or name another one in STALEMATE_ENGINE`);
    return 3;
  }
  const lacking = values['base-from-packages'] ? baseTrouble() : undefined;
  if (lacking !== undefined) {
    console.error(`image: ${lacking}; run it as root after "apt-get install debootstrap", or name a base with --base`);
    return 3;
  }
  const base = values['base-from-packages'] ? baseFromPackages() : values.base;
  const context = join(REPOSITORY_ROOT, 'build', 'image', platform);
  buildStandalone(platform, context);
  const args = [
    'build',
    ...['--tag', values.tag, '--platform', PLATFORMS[platform], '--file', join(REPOSITORY_ROOT, 'ci', 'Dockerfile')],
    ...(base === undefined ? [] : ['--build-arg', `BASE=${base}`]),
    context,
  ];
  if (engine(args, { show: true }).status !== 0) return 3;
  const file = `${context}.cdx.json`;
  writeFileSync(file, `${JSON.stringify(billOfImage(values.tag, base ?? defaultBase(), context), null, 2)}\n`);
  console.log(relative(process.cwd(), file));
  const { stdout } = engine(['image', 'inspect', '--format', '{{.Size}}', values.tag]);
  console.log(`${values.tag}  ${(Number(stdout) / 1e6).toFixed(0)} MB`);
  return 0;
}
