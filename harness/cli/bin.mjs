#!/usr/bin/env node
/**
 * The executable. Plain JavaScript that any Node reads: it looks at the version first, because older ones cannot run TypeScript.
 * Beside it stand the sources in a clone, and what they were compiled to in a package.
 *
 * On a Node that is too old it starts itself again with the one that the npm package `node` brought along, if it is there.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const MAJOR_MIN = 22;
const MINOR_MIN = 19;
const STOPPING = ['SIGTERM', 'SIGHUP', 'SIGINT'];
const EXIT_USAGE = 2;
const EXIT_ENVIRONMENT = 3;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// STALEMATE_NODE_TOO_OLD lets a test take this path on a Node that is new enough.
const tooOld = major < MAJOR_MIN || (major === MAJOR_MIN && minor < MINOR_MIN);

const inClone = existsSync(fileOf('../../scripts/bootstrap.mjs'));
const isSetUp = !inClone || existsSync(fileOf('../../node_modules/.package-lock.json'));

if (!isSetUp) {
  process.stderr.write(
    `stalemate: "${fileOf('../..')}" is a clone that is not set up, expected its dependencies; ` +
      'run "npm run setup" there once (ten seconds, about 430 MB)\n',
  );
  process.exitCode = EXIT_ENVIRONMENT;
} else if (!tooOld && process.env.STALEMATE_NODE_TOO_OLD === undefined) {
  // Stripped types and compiled code are kept for the next start (in the system's folder for temporary files).
  module.enableCompileCache?.();
  const { main } = await import(existsSync(fileOf('./main.js')) ? './main.js' : './main.ts');
  // The exit code is set, not forced: what is written to stdout and stderr must arrive.
  process.exitCode = await main(process.argv.slice(2));
  // Nothing is left to stop: a signal that comes now, as npm passes one on, must not replace the exit code.
  for (const name of STOPPING) process.on(name, () => process.exit());
} else {
  process.exitCode = await runWithBundledNode();
}

/** In this clone's `node_modules`, or where the package was installed in that of the user. */
function nodeOfNpm() {
  try {
    return createRequire(import.meta.url).resolve('node/bin/node');
  } catch {
    return undefined;
  }
}

/** Relative to this file. */
function fileOf(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

async function runWithBundledNode() {
  const bundled = nodeOfNpm();
  if (bundled === undefined) {
    process.stderr.write(
      `stalemate: got Node ${process.versions.node}, expected ${MAJOR_MIN}.${MINOR_MIN} or newer; ` +
        'update Node, or add it to the project with "npm install --save-dev node@24"\n',
    );
    return EXIT_USAGE;
  }
  const { STALEMATE_NODE_TOO_OLD: _, ...env } = process.env;
  // By the name under which it was called, which printed commands repeat.
  const args = process.argv.slice(1);
  const child = spawn(bundled, args, { stdio: 'inherit', env });
  // A terminal sends Ctrl-C to both: the child takes two that come together for one.
  for (const name of STOPPING) process.on(name, () => child.kill(name));
  return new Promise((resolve) => {
    child.on('exit', (status, signal) => resolve(status ?? 128 + (constants.signals[signal] ?? 0)));
  });
}
