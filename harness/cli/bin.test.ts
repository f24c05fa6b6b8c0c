import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lostUpdate } from '../report/test-findings.ts';
import { encodeCounterexample } from '../schedule/codec/counterexample.ts';
import { type BinResult, shell, stalemate, stalemateLines, startArguments, startStalemate } from './test-bin.ts';

/** Whether `script` can open a terminal: the version of util-linux can, but the BSD version does not have the flag. */
const hasTerminal = spawnSync('script', ['--version']).status === 0;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-cli-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

describe('usage', () => {
  const REFUSED: readonly (readonly [args: readonly string[], message: string])[] = [
    [
      ['run', '--budget', 'soon'],
      'stalemate: got budget "soon", expected a time like "60s" or "5m", or a number of runs like "2000"',
    ],
    [['run', '--budget', '0'], 'stalemate: got budget "0"'],
    [
      ['run', '--seed', 'abc'],
      'stalemate: got seed "abc", expected a whole number; leave --seed out to have one drawn',
    ],
    [['run', '--seed', '1.5'], 'stalemate: got seed "1.5"'],
    [['run', '--seed', '99999999999999999999'], 'stalemate: got seed "99999999999999999999"'],
    [['run', '--stop-after', '0'], 'stalemate: got --stop-after "0", expected a whole number of at least 1'],
    [
      ['run', '--cluster', 'moon'],
      "stalemate: option '--cluster <kind>' argument 'moon' is invalid. Allowed choices are embedded, ",
    ],
    [['run', '--bugdet', '60s'], "stalemate: unknown option '--bugdet'"],
    [['run', 'extra'], 'stalemate: too many arguments'],
    [['run', 'foo', '--', './bin/manager'], 'stalemate: too many arguments: "foo"; a command follows --'],
    [['rnu'], "stalemate: unknown command 'rnu'"],
    [['explain', 'a'], `stalemate: unknown command 'explain' (did you mean "corpus explain"?)`],
    [['replay'], "stalemate: missing required argument 'file'"],
    [['replay', 'f.json', '--times', 'x'], 'stalemate: got --times "x"'],

    [
      ['list', 'colours'],
      "stalemate: command-argument value 'colours' is invalid for argument 'what'. Allowed choices are properties, ",
    ],
    [['run', '--config', 'no.yaml'], 'stalemate: "no.yaml" does not exist, expected a configuration file'],
    [['replay', 'no.json'], 'stalemate: "no.json" does not exist, expected a counterexample file'],
    [['recheck', 'no'], 'stalemate: "no" does not exist, expected a record or a folder of records'],
  ];
  let results: readonly BinResult[];
  beforeAll(() => {
    results = stalemateLines(
      REFUSED.map(([args]) => args),
      tmpdir(),
    );
  });

  it.each(REFUSED.map((row, at) => [...row, at] as const))(
    '%j is refused with one message and exit code 2',
    (_, message, at) => {
      const { code, stdout, stderr } = results[at] ?? {};

      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/^\s+at /m);
      expect(stdout).toBe('');
      expect(code).toBe(2);
    },
  );

  it('teaches with examples and exit codes', () => {
    const help = stalemate(['--help']);
    const run = stalemate(['run', '--help']);

    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Examples:\n  stalemate init\n');
    expect(help.stdout).toContain('  stalemate run --target controller.ts --crds config/crd --sample sample.yaml\n');
    expect(help.stdout).toContain('Exit codes: 0 all properties hold, 1 a property is violated');
    expect(run.stdout).toContain('stalemate run --property no-lost-update --budget 2000 --seed 7');
  });

  it('prints its version', () => {
    expect(stalemate(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('lists faults and strategies', () => {
    const { stdout } = stalemate(['list', 'faults']);
    expect(stdout).toContain('lose-response  the server commits a request');
    expect(stdout).toContain('a watch ends in mid-stream');
    expect(stdout).toMatch(/expire-watch +a watch answers 410 Gone.* must list again/);
    expect(stalemate(['list', 'strategies']).stdout).toContain('starvation');
    const names = (JSON.parse(stalemate(['list', 'faults', '--json']).stdout) as { name: string }[]).map(
      ({ name }) => name,
    );
    expect(names).toContain('crash');
  });
});

describe('stored files', () => {
  const text = encodeCounterexample(lostUpdate().counterexample);

  it('refuses a counterexample of a newer version plainly', () => {
    write('new.json', text.replace('"version": 1', '"version": 2'));

    const { code, stderr } = stalemate(['replay', 'new.json'], { cwd: folder });

    expect(stderr).toBe(
      'stalemate: "new.json" is a counterexample of version 2, and this stalemate reads up to version 1; ' +
        'update stalemate to read it, or find the failure again with this one\n',
    );
    expect(code).toBe(2);
  });

  it('refuses a truncated counterexample and says where it ends', () => {
    write('cut.json', text.slice(0, text.length / 2));

    const { code, stderr } = stalemate(['replay', 'cut.json'], { cwd: folder });

    expect(stderr).toMatch(
      /^stalemate: "cut\.json" is cut off: it ends at line \d+ in the middle of the document; [^\n]*\n$/,
    );
    expect(code).toBe(2);
  });

  it('refuses to recheck a counterexample without its record, which has the history', () => {
    write('c.json', text);

    expect(stalemate(['recheck', 'c.json'], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^stalemate: "c\.json" is a counterexample .*"\.\.\/records\/c\.json" is not there/,
      ) as string,
    });
  });

  it('refuses a folder without records', () => {
    mkdirSync(join(folder, 'records'));

    expect(stalemate(['recheck', 'records'], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"records" holds no .json file') as string,
    });
  });

  it('refuses a counterexample of another target', () => {
    write('c.json', text);
    write('mine.ts', 'export default {};\n');

    const missing = stalemate(['replay', 'c.json'], { cwd: folder });
    const other = stalemate(['replay', 'c.json', '--target', 'mine.ts'], { cwd: folder });

    expect(missing.stderr).toContain('stalemate: the counterexample is for target "controllers-under-test/web/');
    expect(missing.stderr).toContain('replay it from the folder that it was recorded in');
    expect(other.stderr).toContain('the file is about module "controllers-under-test/web/');
    expect([missing.code, other.code]).toEqual([2, 2]);
  });
});

describe('run', () => {
  const CRD =
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: w.x}\nspec: {group: x, names: {plural: w, kind: W}, versions: [{name: v1, served: true, storage: true}]}\n';
  const SAMPLE = 'apiVersion: x.io/v1\nkind: Gadget\nmetadata: {name: a}\n';

  it.each([
    ['no target', [], 'got no target, expected the module that starts your controller'],
    [
      'a missing sample file',
      ['--target', 't.ts', '--sample', 'no.yaml'],
      'no.yaml" does not exist, expected a YAML file',
    ],
    [
      'a sample whose kind no CRD declares',
      ['--target', 't.ts', '--sample', 'sample.yaml'],
      'is a Gadget of x.io/v1, which no CRD declares',
    ],
    ['malformed YAML', ['--target', 't.ts', '--sample', 'bad.yaml'], 'is malformed'],
    [
      'a CRD without a schema',
      ['--target', 't.ts', '--crds', 'crd.yaml', '--sample', 'sample.yaml'],
      'whose version "v1" has no schema',
    ],
    [
      'an unknown property',
      ['--property', 'nope', '--sample', 'cm.yaml', '--target', 't.ts'],
      'got property "nope", expected one of',
    ],
    ['a missing target', ['--sample', 'cm.yaml', '--target', 'no.ts'], 'target "no.ts" does not exist'],
  ])('refuses %s with exit code 2 and no stack', (_, args, message) => {
    write('crd.yaml', CRD);
    write('sample.yaml', SAMPLE);
    write('bad.yaml', 'a: [1\nb: 2\n');
    write('cm.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n');
    write('t.ts', 'export default {};\n');

    const { code, stderr } = stalemate(['run', ...args], { cwd: folder });

    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(2);
  });
});

describe('output', () => {
  it.runIf(existsSync('/dev/full'))('says so when stdout goes to a full disk', () => {
    const { code, stderr } = shell('$STALEMATE list faults > /dev/full', folder);

    expect(stderr).toContain('stalemate: could not write to stdout: ');
    expect(stderr).toContain('ENOSPC');
    expect(code).toBe(3);
  });

  it('does not mind a reader that goes away', () => {
    const { stderr } = shell('$STALEMATE --help | true', folder);

    expect(stderr).toBe('');
  });
});

describe('an old Node', () => {
  const env = { STALEMATE_NODE_TOO_OLD: '1' };

  it('hands over to the Node that npm brought along, arguments and exit code included', () => {
    expect(stalemate(['--version'], { env })).toEqual(stalemate(['--version']));
    expect(stalemate(['run', '--seed', 'x'], { env }).code).toBe(2);
  });

  it('passes on what would end it', async () => {
    const child = startStalemate(['serve', '--plain-http'], folder, env);
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const stopping = new Promise<string>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => resolve(chunk.toString()));
    });
    child.stdout.once('data', () => child.kill('SIGTERM'));

    expect(await stopping).toContain('stopping');
    expect(await exit).toBe(0);
  });

  it.runIf(hasTerminal)('passes on an interrupt that it alone is sent in a terminal', async () => {
    const [bin = ''] = startArguments([]);
    const parent = `
      const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(bin)}, 'serve', '--plain-http'], {
        stdio: ['inherit', 'pipe', 'inherit'],
      });
      child.stdout.once('data', () => child.kill('SIGINT'));
      child.once('exit', (code) => console.log('ended with ' + code));
    `;
    write('parent.cjs', parent);
    const command = `exec "${process.execPath}" parent.cjs`;
    const terminal = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    let text = '';
    terminal.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(terminal, 'close');

    expect(text).toContain('stopping');
    expect(text).toContain('ended with 0');
  });

  it('says what it needs when there is none', () => {
    const bin = join(folder, 'bin.mjs');
    copyFileSync(fileURLToPath(new URL('./bin.mjs', import.meta.url)), bin);

    const { code, stderr } = stalemate(['run'], { env, bin });

    expect(stderr).toMatch(/^stalemate: got Node \S+, expected 22\.19 or newer; update Node, or add it/);
    expect(code).toBe(2);
  });
});
