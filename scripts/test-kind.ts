/**
 * `npm run test:kind`: runs the suite on real kind clusters, if kind, a container engine and a node image are found.
 *
 * Otherwise it prints what is missing and succeeds: contributors do not need a container engine. With `--required`, for CI machines that
 * have an engine, it fails instead.
 */
import { spawnSync } from 'node:child_process';
import { platform } from 'node:os';
import { join } from 'node:path';
import { findEngine, nodeImage } from '../harness/clusters/kind/engine.ts';
import { EXIT, HarnessError } from '../harness/model/errors.ts';
import { buildLanguage, builtFolder, missingProgram } from './controllers/builds.ts';

const REQUIRED = '--required';

/**
 * Builds the Go controllers of the catalogue to run inside a cluster, and returns their path. Prints what is missing and returns '' without
 * Go, or on a machine that is not Linux like the nodes.
 */
async function builtController(): Promise<string> {
  const missing = platform() === 'linux' ? missingProgram('go') : 'Linux';
  if (missing === undefined) {
    await buildLanguage('go');
    return join(builtFolder('go'), 'fleets');
  }
  process.stdout.write(`kind suite: targets inside the cluster are skipped: ${missing} is missing\n`);
  return '';
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const engine = await findEngine();
    const named = process.env['STALEMATE_KIND_IMAGE'] ?? '';
    const image = await nodeImage(engine, named === '' ? {} : { image: named });
    process.stdout.write(`kind suite: ${engine}, ${image}\n`);
    const controller = await builtController();
    const passed = args.filter((argument) => argument !== REQUIRED);
    const { status } = spawnSync('vitest', ['run', '--config', 'scripts/vitest.kind.config.ts', ...passed], {
      env: { ...process.env, STALEMATE_KIND_IMAGE: image, STALEMATE_KIND_CONTROLLER: controller },
      stdio: 'inherit',
    });
    return status ?? 1;
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    process.stdout.write(`kind suite skipped: ${error.message}\n`);
    return args.includes(REQUIRED) ? EXIT.inconclusive : 0;
  }
}

process.exitCode = await main(process.argv.slice(2));
