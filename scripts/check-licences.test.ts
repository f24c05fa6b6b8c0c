import { describe, expect, it } from 'vitest';
import { checkLicences, type Facts } from './check-licences.ts';
import { billOfMaterials } from './package/sbom.ts';
import { readLock, shippedPackages } from './package/shipped.ts';

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
  data: ['harness/apiserver/kinds/generated/boot.json'],
  notice: 'data generated from Kubernetes 1.36.3',
};

describe('licences', () => {
  it('are fine where the text goes along and NOTICE names the data', () => {
    expect(checkLicences(FINE)).toEqual([]);
  });

  it.each([
    ['a licence that nobody has read', { packages: [{ ...PACKAGE, licence: 'SSPL-1.0' }] }, 'a 1.0.0'],
    ['a package without any licence', { packages: [{ ...PACKAGE, licence: '' }] }, 'a 1.0.0'],
    ['a text that does not go along', { withText: new Set<string>() }, 'a 1.0.0'],
    ['data of another version than NOTICE names', { notice: 'data generated from Kubernetes 1.35.0' }, 'NOTICE'],
  ])('complain about %s', (_, change, where) => {
    expect(checkLicences({ ...FINE, ...change }).map((one) => one.where)).toEqual([where]);
  });

  it('let NOTICE hold the text', () => {
    const facts = { ...FINE, withText: new Set<string>(), notice: `${FINE.notice}\na 1.0.0 is under MIT: …` };

    expect(checkLicences(facts)).toEqual([]);
  });
});

describe('the bill of materials', () => {
  it('lists every package that is installed for users, what it needs, the data and Node', () => {
    const own = { name: 'stalemate', version: '0.1.0', license: 'Apache-2.0' };
    const bill = billOfMaterials(own, readLock(), '24.0.0') as {
      components: readonly { 'bom-ref': string; name: string; hashes?: readonly { content: string }[] }[];
      dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
    };
    const refs = new Set(bill.components.map((one) => one['bom-ref']));

    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['client-node', 'yaml', 'fast-check', 'kubernetes', 'node']));
    expect(names).not.toContain('vitest');
    expect(
      bill.components.filter(({ hashes }) => hashes?.some(({ content }) => !/^[0-9a-f]{128}$/.test(content))),
    ).toEqual([]);
    expect(bill.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([]);
  });

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
