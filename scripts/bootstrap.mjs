/**
 * The entry point on a fresh machine: `npm start`, `npm test`, `npm run bench` and similar commands run through this script.
 *
 * Owns: installing the dependencies if they are missing or older than package-lock.json, and running the actual command with the pinned
 * Node first on PATH, whichever Node (18 or newer) started this script. Does not own: what the commands do. Plain JavaScript without
 * dependencies, because nothing is installed when it starts. Start at `main`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STAMP = join(ROOT, 'node_modules', '.stalemate-lock');
const NODE_PACKAGE = join(ROOT, 'node_modules', 'node');
const NODE_BIN = join(NODE_PACKAGE, 'bin');
const PINNED_NODE = join(NODE_BIN, 'node');
const NODE_DIGESTS = join(ROOT, 'scripts', 'node-digests.json');
const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'compiled');

/** The same exit codes as in all of stalemate: 2 usage, 3 environment. */
const EXIT_USAGE = 2;
const EXIT_ENVIRONMENT = 3;

const NETWORK_ERROR =
  /\b(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR)\b/;

/** Two retries, seconds apart: with npm's defaults, a user without network sees nothing for two minutes. */
const RETRIES = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

/** What each command runs: a script, or the checks (an npm script, so that npm puts the tools on PATH). */
const COMMANDS = {
  start: { script: 'scripts/tour.ts' },
  bench: { script: 'scripts/bench.ts' },
  'bench:search': { script: 'scripts/bench-search.ts' },
  'check-report': { script: 'scripts/check-report.ts' },
  screenshots: { script: 'scripts/screenshots.ts' },
  catalogue: { script: 'scripts/check-catalogue.ts' },
  differential: { script: 'apiserver/scripts/differential.ts' },
  definitions: { script: 'apiserver/scripts/definitions.ts' },
  'fuzz-http': { script: 'apiserver/scripts/fuzz-http.ts' },
  languages: { script: 'scripts/languages.ts' },
  pairs: { script: 'scripts/pairs.ts' },
  'known-bugs': { script: 'scripts/known-bugs.ts' },
  upstream: { script: 'scripts/upstream-suites.ts' },
  'soak:self': { script: 'scripts/soak-self.ts' },
  'test:kind': { script: 'scripts/test-kind.ts' },
  'check-package': { script: 'scripts/check-package.ts' },
  standalone: { script: 'scripts/standalone.ts' },
  image: { script: 'scripts/image.ts' },
  prepack: { script: 'scripts/package.ts', args: ['prepack'] },
  postpack: { script: 'scripts/package.ts', args: ['postpack'] },
  test: { npm: 'check' },
  setup: {},
};

class SetupError extends Error {}

async function main([name, ...args]) {
  const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const words = Object.keys(COMMANDS).join('|');
    say(
      `got ${name === undefined ? 'no command' : `"${name}"`}, expected ${words}; call it as "node scripts/bootstrap.mjs ${words} [args]"`,
    );
    return EXIT_USAGE;
  }
  if (command.script !== undefined && !existsSync(join(ROOT, command.script))) {
    say(`"${name}" runs ${command.script}, which this checkout does not have; update the checkout`);
    return EXIT_USAGE;
  }
  setUp();
  if (command.script === undefined && command.npm === undefined) return 0;
  const env = {
    ...process.env,
    PATH: [NODE_BIN, join(ROOT, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter),
    // In the clone rather than in the system's temporary directory, where we leave no files.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? COMPILE_CACHE,
  };
  // npm sets these to the Node that started it; a child npm must not inherit the old one.
  delete env.npm_node_execpath;
  delete env.NODE;
  if (command.script !== undefined) return run('node', [command.script, ...(command.args ?? []), ...args], env);
  return run('npm', ['run', '--silent', command.npm, ...(args.length > 0 ? ['--', ...args] : [])], env);
}

/** Installs what is missing; does nothing if the installation is complete. */
function setUp() {
  const reason = reasonToInstall();
  if (reason !== undefined) {
    say(
      `${reason}: running "npm ci" (pinned dependencies and Node ${pinnedVersion() ?? ''} into node_modules, about 430 MB)`,
    );
    install();
    checkNode();
  }
  if (nodeVersion(PINNED_NODE) === undefined) placeNode();
  if (reason !== undefined) {
    writeFileSync(STAMP, lockHash());
    say(`installed; commands run on Node ${nodeVersion(PINNED_NODE)} (this process: ${process.version})`);
  }
}

function reasonToInstall() {
  if (!existsSync(join(ROOT, 'node_modules'))) return 'no node_modules yet';
  if (!existsSync(STAMP)) return 'node_modules was not completed by this script';
  if (readFileSync(STAMP, 'utf8') !== lockHash()) return 'node_modules is older than package-lock.json';
  return undefined;
}

/** Changes with the lockfile and with the platform, because a copied node_modules has binaries of another platform. */
function lockHash() {
  const lock = readFileSync(join(ROOT, 'package-lock.json'));
  return createHash('sha256').update(`${process.platform}-${process.arch}\n`).update(lock).digest('hex');
}

/** `--loglevel=error` hides warnings that this Node is too old for some packages: it only runs the installer. */
function install() {
  const result = spawnSync('npm', ['ci', '--loglevel=error', '--prefer-offline', '--no-progress', ...RETRIES], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  if (result.error !== undefined) {
    throw new SetupError(
      `could not start npm (${result.error.message}); install Node with npm 10 or newer and try again`,
    );
  }
  if (result.status === 0) return;
  process.stderr.write(result.stderr);
  if (NETWORK_ERROR.test(result.stderr)) {
    throw new SetupError(
      'the npm registry could not be reached, and the npm cache does not hold all packages; connect to the network ' +
        '(or point npm at a reachable registry: npm config set registry URL) and run the same command again',
    );
  }
  throw new SetupError(
    `"npm ci" ended with exit code ${result.status ?? result.signal}; its output is above, fix that and run the same command again`,
  );
}

/**
 * Installs the pinned Node if npm did not run the install script of the package `node` (`ignore-scripts=true`, or a release of npm that
 * asks for approval), by running that script.
 */
function placeNode() {
  say(
    'npm did not run the install script of the package "node": running it, it downloads the pinned Node from the npm registry',
  );
  const result = spawnSync(process.execPath, ['installArchSpecificPackage'], {
    cwd: NODE_PACKAGE,
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  checkNode();
  if (nodeVersion(PINNED_NODE) !== undefined) return;
  process.stderr.write(result.stderr ?? '');
  throw new SetupError(
    `Node ${pinnedVersion() ?? ''} for ${process.platform}-${process.arch} could not be installed from the npm registry; ` +
      'check the network, then remove node_modules and run the same command again',
  );
}

/**
 * Refuses to start a Node that is not the pinned one. npm compares it only with the registry that it came from, and the lockfile has no
 * digest of it: the package `node` downloads it by version.
 */
function checkNode() {
  if (!existsSync(PINNED_NODE)) return;
  const platform = `${process.platform}-${process.arch}`;
  const version = pinnedVersion();
  const expected = JSON.parse(readFileSync(NODE_DIGESTS, 'utf8'))[version]?.[platform];
  if (expected === undefined) {
    say(`scripts/node-digests.json has no digest of Node ${version} for ${platform}: it is used unchecked`);
    return;
  }
  const got = createHash('sha256').update(readFileSync(PINNED_NODE)).digest('hex');
  if (got === expected) return;
  throw new SetupError(
    `the Node ${version} that npm fetched has the SHA-256 ${got}, expected ${expected} (scripts/node-digests.json), so it was not started; ` +
      'find out what "npm config get registry" serves, then remove node_modules and run the same command again',
  );
}

function pinnedVersion() {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return lock.packages?.['node_modules/node']?.version;
}

function nodeVersion(binary) {
  const result = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim().replace(/^v/, '') : undefined;
}

/** Runs the command until it exits; Ctrl-C reaches it through the terminal, and the command decides how to stop. */
function run(file, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: ROOT, env, stdio: 'inherit' });
    const forward = (signal) => child.kill(signal);
    process.on('SIGINT', leaveToChild);
    process.on('SIGTERM', forward);
    process.on('SIGHUP', forward);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('SIGINT', leaveToChild);
      process.off('SIGTERM', forward);
      process.off('SIGHUP', forward);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** The terminal sends Ctrl-C to the child as well, so there is nothing to forward. */
function leaveToChild() {}

function say(line) {
  process.stderr.write(`bootstrap: ${line}\n`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = EXIT_ENVIRONMENT;
}
