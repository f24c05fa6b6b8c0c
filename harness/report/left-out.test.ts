import { expect, it } from 'vitest';
import { LEFT_OUT } from '../model/left-out.ts';
import { leftOutLines } from './left-out.ts';

const facts = {
  seed: 7,
  elapsedMs: 60_000,
  pathOf: (signature: string): string | undefined =>
    signature === 'a' ? '.stalemate/failures/lost-update-fa7988.json' : undefined,
};

it('names what was left out of a finding, with the command that continues', () => {
  const lines = leftOutLines(
    [
      { what: 'confirm', count: 1, signature: 'a' },
      { what: 'proof', count: 1, signature: 'a' },
    ],
    facts,
  );

  expect(lines).toEqual([
    {
      what: 'lost-update-fa7988: reproduce it 10 times',
      command: 'replay .stalemate/failures/lost-update-fa7988.json --shrink',
    },
    {
      what: 'lost-update-fa7988: confirm on a real API server',
      command: 'replay .stalemate/failures/lost-update-fa7988.json --cluster envtest',
    },
  ]);
});

it('says once that a finding is to be shrunk and proved: one command does both', () => {
  const lines = leftOutLines(
    (['shrink', 'proof'] as const).map((what) => ({ what, count: 1, signature: 'a' })),
    facts,
  );

  expect(lines.map(({ what }) => what)).toEqual(['lost-update-fa7988: shrinking it further']);
});

it('adds up what is of no finding, and offers a longer budget with the same seed', () => {
  const lines = leftOutLines(
    [
      { what: 'runs', count: 1 },
      { what: 'runs', count: 2 },
    ],
    facts,
  );

  expect(lines).toEqual([{ what: '3 runs: cut short at the end of the search', command: 'run --budget 10m --seed 7' }]);
});

it('continues with the words that the search was started with', () => {
  const again = {
    command: 'ci',
    flags: ['--crds', 'my crds', '--base-command', './base'],
    corpus: ['--crds', 'my crds'],
    program: ['./bin/manager', '{kubeconfig}'],
  };

  expect(
    leftOutLines(
      [
        { what: 'base', count: 1, signature: 'b' },
        { what: 'corpus', count: 1 },
      ],
      { ...facts, again },
    ).map(({ command }) => command),
  ).toEqual([
    `ci --crds 'my crds' --base-command ./base --budget 10m --seed 7 -- ./bin/manager '{kubeconfig}'`,
    `corpus run --crds 'my crds' -- ./bin/manager '{kubeconfig}'`,
  ]);
});

it('has words and a command for everything, also where the finding could not be written', () => {
  for (const what of LEFT_OUT) {
    const [line] = leftOutLines([{ what, count: 2, signature: 'b' }], facts);

    expect(line?.what).not.toContain('undefined');
    expect(line?.command).toMatch(/^(run|ci|corpus) /);
  }
});
