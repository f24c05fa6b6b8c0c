import { expect, it } from 'vitest';
import { entriesWithoutDigest, missingBuilds } from './lockfile.ts';

const digest = `sha512-${'A'.repeat(86)}==`;

it('returns platform builds without an entry', () => {
  const optionalDependencies = {
    '@b/linux-x64-gnu': '1.0.0',
    '@b/darwin-arm64': '1.0.0',
    '@b/linux-arm64-musl': '1.0.0',
    fsevents: '~2.3.2',
    'tool-plugin': '1.0.0',
  };

  expect(
    missingBuilds({ packages: { 'node_modules/@b/linux-x64-gnu': {}, 'node_modules/tool': { optionalDependencies } } }),
  ).toEqual(['node_modules/@b/darwin-arm64', 'node_modules/@b/linux-arm64-musl']);
});

it('returns packages without a SHA-512 digest', () => {
  const packages = {
    '': {},
    'node_modules/checked': { integrity: digest },
    'node_modules/unchecked': {},
    'node_modules/old': { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
  };

  expect(entriesWithoutDigest({ packages })).toEqual(['node_modules/unchecked', 'node_modules/old']);
});
