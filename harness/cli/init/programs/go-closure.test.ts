import { expect, it } from 'vitest';
import { repositoryOf } from '../repository.ts';
import { goPackages } from './go-closure.ts';

it('follows imports of its own module through the repository, each once', () => {
  const { closure } = goPackages(
    repositoryOf({
      'main.go': 'package main\nimport "example.com/op/v2/cmd"\n',
      'cmd/root.go': 'package cmd\nimport (\n\t"fmt"\n\t"example.com/op/v2/pkg/run"\n\t"example.com/other/run"\n)\n',
      'cmd/root_test.go': 'package cmd\nimport "example.com/op/v2/test"\n',
      'pkg/run/run.go': 'package run\nimport root "example.com/op/v2/cmd"\nimport "example.com/op/v2/generated"\n',
      'test/test.go': 'package test\n',
    }),
    [{ path: 'example.com/op/v2', folder: '.' }],
  );

  expect(closure('.').map(({ folder }) => folder)).toEqual(['.', 'cmd', 'pkg/run']);
  expect(closure('pkg/run').map(({ folder }) => folder)).toEqual(['pkg/run', 'cmd']);
});
