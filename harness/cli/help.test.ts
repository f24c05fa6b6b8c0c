/** The examples of every help text: each must parse, and those that cost nothing are run. */
import type { Command } from 'commander';
import { expect, it, vi } from 'vitest';
import type { Console } from './console.ts';
import { wholeProgram } from './main.ts';
import { shellWords } from './shell-words.ts';
import { stalemate } from './test-bin.ts';

/** Returns the help text of each command. */
async function helps(): Promise<ReadonlyMap<string, string>> {
  let printed = '';
  const console: Console = {
    out: (text) => (printed += text),
    err: () => {},
    color: false,
    width: 100,
    cwd: '.',
    called: 'npx stalemate',
  };
  const texts = new Map<string, string>();
  const look = (command: Command, path: string): void => {
    printed = '';
    command.outputHelp();
    texts.set(path, printed);
    for (const one of command.commands) look(one, `${path} ${one.name()}`);
  };
  look(await wholeProgram(console), 'stalemate');
  return texts;
}

/** Returns the command lines, without redirections, pipes, trailing explanations and `…`. */
function examplesIn(help: string): readonly string[] {
  const shown = /^Examples?:\n((?: {2}.*\n?)*)/m.exec(help)?.[1] ?? '';
  return [...shown.matchAll(/^ {2}stalemate (.*)$/gm)].map(([, line = '']) =>
    line.replace(/\s+[>|] .*| {2,}.*/, '').replaceAll('… ', ''),
  );
}

function wordsOf(line: string): readonly string[] {
  const split = shellWords(line);
  return 'words' in split ? split.words : [];
}

/** Parses a line without running it, and returns the command that it selects. */
async function parsed(line: string): Promise<string> {
  // Kubernetes sets this variable in an Indexed Job, for which some examples are written.
  vi.stubEnv('JOB_COMPLETION_INDEX', '0');
  const root = await wholeProgram();
  let acting = '';
  const disarm = (command: Command, path: string): void => {
    if (command.commands.length === 0) command.action(() => void (acting = path));
    for (const one of command.commands) disarm(one, path === '' ? one.name() : `${path} ${one.name()}`);
  };
  disarm(root, '');
  await root.parseAsync([...wordsOf(line)], { from: 'user' });
  return acting;
}

it('shows an example of every command', async () => {
  const without = [...(await helps())].filter(([, help]) => examplesIn(help).length === 0).map(([path]) => path);

  expect(without).toEqual([]);
});

it('shows examples that the parser takes', async () => {
  const shown = [...(await helps())].flatMap(([path, help]) => examplesIn(help).map((line) => ({ path, line })));
  const refused: string[] = [];
  for (const { path, line } of shown) {
    const acting = await parsed(line).catch((error: unknown) => String(error));
    if (!line.startsWith(acting) || acting === '') refused.push(`${path}: ${line}: ${acting}`);
  }

  expect(refused).toEqual([]);
  expect(shown.length).toBeGreaterThan(50);
});

it.each([
  'list properties',
  'list faults',
  'list writers --json',
  'completion bash',
  'corpus list',
  'corpus list --json',
])('shows "%s", and it works', async (line) => {
  const shown = [...(await helps()).values()].flatMap(examplesIn);
  const { code, stdout, stderr } = stalemate(wordsOf(line));

  expect(shown).toContain(line);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.length).toBeGreaterThan(10);
});
