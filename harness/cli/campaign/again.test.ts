import { expect, it } from 'vitest';
import { wholeProgram } from '../main.ts';
import type { Again } from '../../report/left-out.ts';
import { againOf } from './again.ts';

/** Parses a command line without running it. */
async function typed(...words: readonly string[]): Promise<Again> {
  const program = await wholeProgram();
  const command = program.commands.find((one) => one.name() === words[0]);
  if (command === undefined) throw new Error(`no command ${words[0]}`);
  let again: Again | undefined;
  command.action((_words: unknown, _flags: unknown, self: typeof command) => {
    again = againOf(self);
  });
  await program.parseAsync([...words], { from: 'user' });
  if (again === undefined) throw new Error('the command was not run');
  return again;
}

it('has all that was typed but budget and seed', async () => {
  const flags = ['--crds', 'config/crd', '--sample=a b.yaml', '--property', 'no-lost-update', '--no-corpus'];

  expect(
    await typed('run', '--budget', '5s', ...flags, '--seed=7', '--json', '--', './bin/manager', '--budget', '5'),
  ).toEqual({
    command: 'run',
    flags: [...flags, '--json'],
    corpus: flags.slice(0, 3),
    program: ['./bin/manager', '--budget', '5'],
  });
});

it('is the command that was typed, also with nothing more', async () => {
  expect(await typed('ci', '--base-command', './run')).toMatchObject({
    command: 'ci',
    flags: ['--base-command', './run'],
  });
  expect(await typed('run')).toEqual({ command: 'run', flags: [], corpus: [], program: [] });
});
