/** The completion scripts, run by their shells: bash always, zsh and fish where they are installed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wholeProgram } from '../main.ts';
import { SCRIPTS } from './scripts.ts';
import { SHELLS, type Shell } from './shells.ts';
import { completionTree, type CompletionCommand } from './tree.ts';

let folder: string;
let tree: readonly CompletionCommand[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-completion-'));
  tree = completionTree(await wholeProgram());
  for (const shell of SHELLS) writeFileSync(join(folder, shell), SCRIPTS[shell](tree));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const isInstalled = (shell: Shell): boolean => spawnSync(shell, ['--version']).status === 0;

/** zsh completes only interactively: its two completion functions are replaced by functions that print, and the cursor position is set. */
const ZSH = `
compdef() { :; }; _files() { print -- FILES; }
compadd() { shift; print -l -- "$@"; }
_describe() { local name=$2; print -l -- \${(P)name}; }
`;

const ASK: { readonly [shell in Shell]: (words: readonly string[]) => string } = {
  bash: (words) =>
    `source ./bash; COMP_WORDS=(${quotedAll(words)}); COMP_CWORD=${words.length - 1}; _stalemate; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (words) => `${ZSH}source ./zsh; words=(${quotedAll(words)}); CURRENT=${words.length}; _stalemate`,
  fish: (words) => `source ./fish; complete -C '${words.join(' ')}'`,
};

function quotedAll(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}

/** Returns the completions of the last word, which may be incomplete. */
function offered(shell: Shell, ...words: readonly string[]): readonly string[] {
  const args = shell === 'zsh' ? ['-f', '-c'] : shell === 'bash' ? ['--norc', '-c'] : ['--no-config', '-c'];
  const script = ASK[shell](['stalemate', ...words]);
  const { stdout, stderr } = spawnSync(shell, [...args, script], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  expect(stderr).toBe('');
  return stdout
    .split('\n')
    .flatMap((line) => line.split(/[\t:]/)[0] ?? [])
    .filter((word) => word !== '');
}

describe.each(SHELLS.filter(isInstalled))('%s', (shell) => {
  it('offers commands', () => {
    expect(offered(shell, '')).toEqual(expect.arrayContaining(['run', 'init', 'corpus', 'doctor']));
  });

  it('offers the commands below one, and its first words', () => {
    expect(offered(shell, 'corpus', '')).toEqual(
      expect.arrayContaining(['list', 'run', 'promote', 'prune', 'explain']),
    );
    expect(offered(shell, 'list', '')).toEqual(expect.arrayContaining(['properties', 'faults']));
  });

  it('offers flags of the command, also behind others', () => {
    expect(offered(shell, 'run', '--seed', '7', '--')).toEqual(expect.arrayContaining(['--budget', '--crds']));
    expect(offered(shell, 'corpus', 'run', '--')).not.toContain('--faults');
  });

  it('offers the values of a flag, which may differ by command', () => {
    expect(offered(shell, 'run', '--cluster', '')).toEqual(
      ['embedded', 'envtest', 'kind', 'existing'].toSorted(shell === 'fish' ? undefined : () => 0),
    );
    expect(offered(shell, 'serve', '--controllers', '')).toContain('workloads');
    expect(offered(shell, 'run', '--environment', '')).toContain('auto');
  });
});

it.runIf(isInstalled('bash'))('completes what is begun, and leaves files and other programs to the shell', () => {
  expect(offered('bash', 'run', '--clu')).toEqual(['--cluster']);
  expect(offered('bash', 'run', '--sample', '')).toEqual([]);
  expect(offered('bash', 'run', '--', './bin/manager', '--')).toEqual([]);
});

it.each(SHELLS)('knows every command and flag in %s', (shell) => {
  const script = SCRIPTS[shell](tree);
  const missing = tree.flatMap(({ flags, words }) =>
    [...words, ...flags.map(({ name }) => (shell === 'fish' ? `-l ${name.slice(2)}` : name))].filter(
      (word) => !script.includes(word),
    ),
  );

  expect(missing).toEqual([]);
});
