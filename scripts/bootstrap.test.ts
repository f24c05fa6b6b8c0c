import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { REPOSITORY_ROOT } from './repository-files.ts';

let root: string;

/** A checkout with only the bootstrap script, and a fake npm that logs its arguments and installs a Node. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stalemate-bootstrap-'));
  for (const folder of ['scripts', 'bin']) mkdirSync(join(root, folder));
  copyFileSync(join(REPOSITORY_ROOT, 'scripts/bootstrap.mjs'), join(root, 'scripts/bootstrap.mjs'));
  writeFileSync(join(root, 'package-lock.json'), '{"packages":{"node_modules/node":{"version":"24.0.0"}}}');
  // A small file, so that hashing it takes no time.
  const node = `#!/bin/sh\nexec "${process.execPath}" "$@"\n`;
  writeFileSync(join(root, 'bin/pinned-node'), node, { mode: 0o755 });
  pins(createHash('sha256').update(node).digest('hex'));
  fakeNpm('mkdir -p node_modules/node/bin && cp bin/pinned-node node_modules/node/bin/node');
});

afterEach(() => rmSync(root, { recursive: true }));

/** Sets the digest that the checkout pins for Node on this platform. */
function pins(digest: string | undefined): void {
  const digests = { '24.0.0': { [`${process.platform}-${process.arch}`]: digest } };
  writeFileSync(join(root, 'scripts/node-digests.json'), JSON.stringify(digests));
}

function fakeNpm(ci: string): void {
  const script = `#!/bin/sh\necho "$@" >> npm.log\n[ "$1" != ci ] || { ${ci}; }\n`;
  writeFileSync(join(root, 'bin/npm'), script, { mode: 0o755 });
}

function bootstrap(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['scripts/bootstrap.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: `${join(root, 'bin')}:/usr/bin:/bin` },
  });
}

function npmCalls(): readonly string[] {
  const log = join(root, 'npm.log');
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
}

const installs = (): number => npmCalls().filter((call) => call.startsWith('ci ')).length;

it('installs missing dependencies with a message, and nothing on the next run', () => {
  const first = bootstrap('setup');
  const second = bootstrap('setup');

  expect(first).toMatchObject({ status: 0, stderr: expect.stringContaining('no node_modules yet') });
  expect(second).toMatchObject({ status: 0, stderr: '' });
  expect(installs()).toBe(1);
});

it.each(['npm', 'the bootstrap'])('does not start a Node other than the pinned one, installed by %s', (placedBy) => {
  const place = 'echo "#!/bin/sh\ntouch started" > bin/node; chmod +x bin/node';
  writeFileSync(
    join(root, 'install.js'),
    `require("child_process").execSync(${JSON.stringify(`mkdir -p bin; ${place}`)});`,
  );
  fakeNpm(
    placedBy === 'npm'
      ? `mkdir -p node_modules/node/bin && cd node_modules/node && ${place}`
      : 'mkdir -p node_modules/node && cp install.js node_modules/node/installArchSpecificPackage.js',
  );

  for (const time of ['first', 'second']) {
    const { status, stderr } = bootstrap('setup');

    expect([time, status]).toEqual([time, 3]);
    expect(stderr).toMatch(
      /has the SHA-256 \w{64}, expected \w{64} \(scripts\/node-digests\.json\), so it was not started/,
    );
  }
  expect(globSync('**/started', { cwd: root })).toEqual([]);
});

it('warns if there is no digest for the platform', () => {
  pins(undefined);

  const { status, stderr } = bootstrap('setup');

  expect(status).toBe(0);
  expect(stderr).toContain('scripts/node-digests.json has no digest of Node 24.0.0 for');
});

it('installs again after the lockfile has changed', () => {
  bootstrap('setup');
  writeFileSync(join(root, 'package-lock.json'), '{"packages":{}}');

  const { stderr } = bootstrap('setup');

  expect(stderr).toContain('older than package-lock.json');
  expect(installs()).toBe(2);
});

it('runs a script on the pinned Node with its arguments and returns its exit code', () => {
  writeFileSync(
    join(root, 'scripts/tour.ts'),
    'console.log(process.env.PATH?.split(":")[0], process.argv[2]); process.exit(7);',
  );

  const { status, stdout } = bootstrap('start', '--quick');

  expect(status).toBe(7);
  expect(stdout).toBe(`${join(root, 'node_modules/node/bin')} --quick\n`);
});

it('runs the checks through npm and passes arguments to the tests', () => {
  bootstrap('test', '--reporter=json');

  expect(npmCalls().at(-1)).toBe('run --silent check -- --reporter=json');
});

it('reports a missing network with the exit code for an environment problem', () => {
  fakeNpm('echo "npm error code ENOTFOUND" >&2; exit 1');

  const { status, stderr } = bootstrap('setup');

  expect(status).toBe(3);
  expect(stderr).toContain('the npm registry could not be reached');
});

it('shows the output of an installation that failed for another reason, and retries on the next run', () => {
  fakeNpm('mkdir -p node_modules; echo "npm error code EACCES" >&2; exit 243');

  const { status, stderr } = bootstrap('setup');
  bootstrap('setup');

  expect(status).toBe(3);
  expect(stderr).toMatch(/EACCES[\s\S]*exit code 243/);
  expect(installs()).toBe(2);
});

it('installs the pinned Node itself if npm did not run the install script', () => {
  const pinned = JSON.stringify(join(root, 'bin/pinned-node'));
  const install = `require("fs").mkdirSync("bin");require("fs").copyFileSync(${pinned}, "bin/node");`;
  writeFileSync(join(root, 'install.js'), install);
  fakeNpm('mkdir -p node_modules/node && cp install.js node_modules/node/installArchSpecificPackage.js');

  const { status, stderr } = bootstrap('setup');

  expect(status).toBe(0);
  expect(stderr).toContain('npm did not run the install script');
});

it('names a script that is missing from the checkout, before installing anything', () => {
  const { status, stderr } = bootstrap('bench');

  expect(status).toBe(2);
  expect(stderr).toContain('scripts/bench.ts');
  expect(installs()).toBe(0);
});

it.each([[[]], [['dance']]])('prints the expected commands when called with %j', (args) => {
  const { status, stderr } = bootstrap(...args);

  expect(status).toBe(2);
  expect(stderr).toMatch(/expected start\|bench\|(?:[\w:-]+\|)*test\|setup/);
});
