import { describe, expect, it } from 'vitest';
import { checkLicences, type Facts } from './check-licences.ts';
import { shippedPackages } from './package/shipped.ts';

const PACKAGE = {
  path: 'node_modules/a',
  name: 'a',
  version: '1.0.0',
  licence: 'MIT',
  integrity: 'sha512-AAAA',
  needs: [],
};
const FINE: Facts = {
  packages: [PACKAGE],
  withText: new Set([PACKAGE.path]),
  data: ['apiserver/server/kinds/generated/boot.json'],
  notice: 'data generated from Kubernetes 1.36.3',
};

describe('licences', () => {
  it('are accepted if their text is included and NOTICE names the data', () => {
    expect(checkLicences(FINE)).toEqual([]);
  });

  it.each([
    ['an unknown licence', { packages: [{ ...PACKAGE, licence: 'SSPL-1.0' }] }, 'a 1.0.0'],
    ['a package without any licence', { packages: [{ ...PACKAGE, licence: '' }] }, 'a 1.0.0'],
    ['a missing licence text', { withText: new Set<string>() }, 'a 1.0.0'],
    ['data of a version other than the one in NOTICE', { notice: 'data generated from Kubernetes 1.35.0' }, 'NOTICE'],
  ])('complain about %s', (_, change, where) => {
    expect(checkLicences({ ...FINE, ...change }).map((one) => one.where)).toEqual([where]);
  });

  it('are accepted if NOTICE contains the text', () => {
    const facts = { ...FINE, withText: new Set<string>(), notice: `${FINE.notice}\na 1.0.0 is under MIT: …` };

    expect(checkLicences(facts)).toEqual([]);
  });
});

describe('packages that are shipped', () => {
  it('resolves a nested package before the one at the top', () => {
    const lock = {
      packages: {
        'node_modules/a': { dependencies: { b: '1' } },
        'node_modules/a/node_modules/b': {},
        'node_modules/b': {},
        'node_modules/c': { dev: true },
      },
    };

    expect(shippedPackages(lock).map(({ path, needs }) => [path, needs])).toEqual([
      ['node_modules/a', ['node_modules/a/node_modules/b']],
      ['node_modules/a/node_modules/b', []],
      ['node_modules/b', []],
    ]);
  });
});
