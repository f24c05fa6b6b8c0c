import { expect, it } from 'vitest';
import { completed, missingBuilds, platformOf } from './complete-lockfile.ts';

it.each([
  ['@oxlint/binding-linux-arm64-musl', { os: ['linux'], cpu: ['arm64'], libc: ['musl'] }],
  ['@oxlint/binding-linux-x64-gnu', { os: ['linux'], cpu: ['x64'], libc: ['glibc'] }],
  ['@oxlint/binding-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
  ['@oxlint/binding-win32-x64-msvc', { os: ['win32'], cpu: ['x64'] }],
  ['@oxlint-tsgolint/darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
  ['fsevents', undefined],
])('reads the platform of %s off its name', (name, platform) => {
  expect(platformOf(name)).toEqual(platform);
});

it('adds an entry for each platform build that has none, keeps the others, and is then complete', () => {
  const present = { version: '1.0.0', integrity: 'sha512-x', optional: true };
  const lock = {
    lockfileVersion: 3,
    packages: {
      'node_modules/@b/linux-x64-gnu': present,
      'node_modules/tool': {
        dev: true,
        version: '1.0.0',
        optionalDependencies: { '@b/darwin-arm64': '1.0.0', '@b/linux-x64-gnu': '1.0.0', fsevents: '~2.3.2' },
      },
    },
  };

  const result = completed(lock);

  expect(Object.keys(result.packages)).toEqual([
    'node_modules/@b/darwin-arm64',
    'node_modules/@b/linux-x64-gnu',
    'node_modules/tool',
  ]);
  expect(result.packages['node_modules/@b/darwin-arm64']).toEqual({
    version: '1.0.0',
    cpu: ['arm64'],
    dev: true,
    optional: true,
    os: ['darwin'],
  });
  expect(result.packages['node_modules/@b/linux-x64-gnu']).toBe(present);
  expect(missingBuilds(result)).toEqual([]);
});
