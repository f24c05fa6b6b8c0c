import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandTarget, ModuleTarget } from '../model/counterexample.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { encodeCounterexample } from '../schedule/codec/counterexample.ts';
import { allowedTarget, type UsersWord } from './stored-target.ts';
import { stalemate } from './test-bin.ts';
import { noteUse } from './used-targets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-stored-'));
  mkdirSync(join(folder, 'project'));
  writeFileSync(join(folder, 'project', 'mine.ts'), '');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const COMMAND: CommandTarget = { command: ['./manager', '--debug'], directory: '.', network: 'host' };
const MODULE: ModuleTarget = { module: 'mine.ts', transport: 'http-library' };

function user(word: Partial<UsersWord> = {}): UsersWord {
  return { folder: join(folder, 'project'), options: {}, trusted: false, ask: async () => false, ...word };
}

describe('a target that only a file names', () => {
  it('is refused, with what it is', async () => {
    await expect(allowedTarget(COMMAND, user())).rejects.toMatchObject({
      code: 'REFUSED',
      exitCode: 5,
      message:
        'the file starts command "./manager --debug" in ".", which neither your configuration nor your command line names; name it yourself (after --), or look at what it is and add --trust-file',
    });
    await expect(allowedTarget(MODULE, user())).rejects.toMatchObject({ code: 'REFUSED' });
  });

  it('is started when the file is trusted, or a person says yes to what is shown', async () => {
    const asked: string[] = [];
    const ask = async (question: string): Promise<boolean> => asked.push(question) > 0;

    expect(await allowedTarget(COMMAND, user({ trusted: true }))).toMatchObject({ target: COMMAND });
    expect(await allowedTarget(COMMAND, user({ ask }))).toMatchObject({ target: COMMAND });
    expect(asked).toEqual(['command "./manager --debug" in "."; start it? [y/N] ']);
  });

  it('is shown with the programs that would be started beside it, none of which may lie outside', async () => {
    const webhook = { command: ['./webhook'], directory: '.' };
    const asked: string[] = [];
    const ask = async (question: string): Promise<boolean> => asked.push(question) > 0;

    await allowedTarget({ ...COMMAND, programs: { webhook } }, user({ ask }));
    const outside = allowedTarget(
      { ...COMMAND, programs: { webhook: { ...webhook, directory: '..' } } },
      user({ ask }),
    );

    expect(asked).toEqual([
      'command "./manager --debug" in ".", program "webhook" "./webhook" in "."; start it? [y/N] ',
    ]);
    await expect(outside).rejects.toMatchObject({ code: 'REFUSED' });
  });

  it('is another one where other programs run beside it, and gets the arguments of those that are configured', async () => {
    const stored = { ...COMMAND, programs: { webhook: { command: ['./webhook', '--old'], directory: '.' } } };
    const configured = { command: ['./manager'], programs: { webhook: { command: ['./webhook', '--new'] } } };
    const other = { command: ['./manager'], programs: { webhook: { command: ['./other'] } } };

    expect(await allowedTarget(stored, user({ options: configured }))).toMatchObject({
      target: { programs: { webhook: { command: ['./webhook', '--new'] } } },
    });
    for (const options of [other, { command: ['./manager'] }])
      await expect(allowedTarget(stored, user({ options }))).rejects.toMatchObject({ code: 'TARGET_MISMATCH' });
  });

  it('is asked about without the secrets that this machine has for it', async () => {
    const restored: CommandTarget = { ...COMMAND, command: ['./manager', '--token=tok-4711'] };
    const shown: CommandTarget = { ...COMMAND, command: ['./manager', '--token=redacted-0123456789abcdef'] };
    const options = { command: ['./other', '--token', 'tok-0815'] };

    await expect(allowedTarget(restored, user({ shown }))).rejects.toThrow('"./manager --token=redacted-');
    const refused = allowedTarget(restored, user({ shown, options }));
    await expect(refused).rejects.toThrow(/got command "\.\/other --token redacted-/);
    await expect(refused).rejects.toThrow(expect.not.stringContaining('4711') as string);
  });

  it('shows no control characters', async () => {
    const asked: string[] = [];
    const ask = async (question: string): Promise<boolean> => asked.push(question) > 0;

    await allowedTarget({ command: ['sh\u001b[2J', '\u202e'], directory: '.' }, user({ ask }));

    expect(asked).toEqual(['command "sh [2J  " in "."; start it? [y/N] ']);
  });

  it('cannot reach the network of the host, whatever the file says', async () => {
    expect(await allowedTarget(COMMAND, user({ trusted: true }))).toMatchObject({ network: 'none' });
    expect(await allowedTarget(COMMAND, user({ trusted: true, options: { network: 'host' } }))).toMatchObject({
      network: 'host',
    });
  });

  it.each([
    ['a path', '../other.ts'],
    ['an absolute path', '/other.ts'],
    ['a link', 'link.ts'],
  ])('is refused outside the folder, trusted or not: %s', async (_, module) => {
    writeFileSync(join(folder, 'other.ts'), '');
    symlinkSync(join(folder, 'other.ts'), join(folder, 'project', 'link.ts'));
    const named = module.startsWith('/') ? join(folder, 'other.ts') : module;

    await expect(allowedTarget({ ...MODULE, module: named }, user({ trusted: true }))).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringContaining('expected one inside the folder') as string,
    });
    await expect(allowedTarget({ ...COMMAND, directory: '..' }, user({ trusted: true }))).rejects.toMatchObject({
      code: 'REFUSED',
    });
  });
});

describe('a target that the user names as well', () => {
  it('is started as the configuration has it', async () => {
    const options = { command: ['./manager', '--verbose'], network: 'host' } as const;

    expect(await allowedTarget({ ...COMMAND, ready: 'quiet' }, user({ options }))).toEqual({
      target: { ...COMMAND, ready: 'quiet', command: ['./manager', '--verbose'] },
      network: 'host',
    });
    expect(await allowedTarget(MODULE, user({ options: { target: 'mine.ts' } }))).toMatchObject({ target: MODULE });
  });

  it('cannot reach the network of the host either, unless the user says so', async () => {
    const { command } = COMMAND;

    expect(await allowedTarget(COMMAND, user({ options: { command } }))).toMatchObject({ network: 'none' });
  });

  it('is refused for a file about another one', async () => {
    for (const options of [
      { command: ['./other'] },
      { target: 'other.ts' },
      { command: COMMAND.command, directory: 'bin' },
    ])
      await expect(allowedTarget(COMMAND, user({ options }))).rejects.toMatchObject({
        code: 'TARGET_MISMATCH',
        message: expect.stringMatching(/^the file is about command "\.\/manager --debug" in "\.", got /) as string,
      });
  });

  it('is started without a question where this user started it before, and reaches what it reached then', async () => {
    noteUse(join(folder, 'project'), COMMAND);
    noteUse(join(folder, 'project'), { ...MODULE, module: '../other.ts' });
    writeFileSync(join(folder, 'other.ts'), '');

    expect(await allowedTarget(COMMAND, user())).toEqual({ target: COMMAND, network: 'host' });
    expect(await allowedTarget({ ...MODULE, module: '../other.ts' }, user())).toMatchObject({ network: 'none' });
    for (const other of [
      { ...COMMAND, command: ['./manager'] },
      { ...COMMAND, inCluster: true },
    ])
      await expect(allowedTarget(other, user())).rejects.toMatchObject({ code: 'REFUSED' });
    await expect(allowedTarget(COMMAND, user({ folder }))).rejects.toMatchObject({ code: 'REFUSED' });
  });

  it('does not take the place of another one on the command line, though this user started it before', async () => {
    noteUse(join(folder, 'project'), COMMAND);
    const options = { command: ['./other'] };

    expect(await allowedTarget(COMMAND, user({ options }))).toEqual({ target: COMMAND, network: 'host' });
    await expect(allowedTarget(COMMAND, user({ options, typed: true }))).rejects.toMatchObject({
      code: 'TARGET_MISMATCH',
    });
    expect(await allowedTarget(COMMAND, user({ options, typed: true, trusted: true }))).toMatchObject({
      target: COMMAND,
    });
  });
});

describe('a counterexample of a stranger', () => {
  it('runs no command', () => {
    const { counterexample } = lostUpdate();
    const target = { command: ['sh', '-c', 'echo was here; exit 7'], directory: '.', network: 'host' } as const;
    writeFileSync(join(folder, 'project', 'c.json'), encodeCounterexample({ ...counterexample, target }));
    const cwd = join(folder, 'project');
    const started = 'the target exited while starting (with code 7)';

    const refused = stalemate(['replay', 'c.json'], { cwd });

    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('the file starts command "sh -c echo was here; exit 7" in "."');
    expect(refused.stderr).not.toContain(started);
    expect(stalemate(['replay', 'c.json', '--trust-file', '--times', '1'], { cwd }).stderr).toContain(started);
  });

  it('is not run in place of the command or module of the command line', () => {
    const { counterexample } = lostUpdate();
    const cwd = join(folder, 'project');
    writeFileSync(join(cwd, 'c.json'), encodeCounterexample({ ...counterexample, target: COMMAND }));
    noteUse(cwd, COMMAND);

    for (const named of [
      ['--', './other'],
      ['--target', 'other.ts'],
    ])
      expect(stalemate(['replay', 'c.json', ...named], { cwd })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('the file is about command "./manager --debug" in "."') as string,
      });
  });
});
