#!/usr/bin/env node
/**
 * The executable. It is JavaScript that every Node version can parse, because it checks the version first: older ones cannot
 * run TypeScript. The sources are beside it in a clone, and the compiled files in a package.
 *
 * If Node is too old, the executable starts itself again with the Node of the npm package `node`, if that is installed.
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
// A test sets STALEMATE_NODE_TOO_OLD to take this path on a recent Node.
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
  // Caches stripped types and compiled code for the next start (in the system's folder for temporary files).
  module.enableCompileCache?.();
  const { endSoon, main } = await import(existsSync(fileOf('./main.js')) ? './main.js' : './main.ts');
  // Sets the exit code instead of exiting, so that pending output to stdout and stderr is written.
  process.exitCode = await main(process.argv.slice(2));
  // All work is done: a signal that arrives now, for example passed on by npm, must not change the exit code.
  for (const name of STOPPING) process.on(name, () => process.exit());
  endSoon();
} else {
  process.exitCode = await runWithBundledNode();
}

/** Finds Node in the `node_modules` of this clone, or of the project in which the package is installed. */
function nodeOfNpm() {
  try {
    return createRequire(import.meta.url).resolve('node/bin/node');
  } catch {
    return undefined;
  }
}

/** Resolves a path relative to this file. */
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
  // The script keeps the name by which it was called, because printed commands repeat it.
  const args = process.argv.slice(1);
  const child = spawn(bundled, args, { stdio: 'inherit', env });
  // A terminal sends Ctrl-C to both processes; the child ignores the second signal if it follows at once.
  for (const name of STOPPING) process.on(name, () => child.kill(name));
  return new Promise((resolve) => {
    child.on('exit', (status, signal) => resolve(status ?? 128 + (constants.signals[signal] ?? 0)));
  });
}
