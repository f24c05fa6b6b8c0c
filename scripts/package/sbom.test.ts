import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { type Bill, billOfMaterials, type Component, type Parts } from './sbom.ts';
import { readLock } from './shipped.ts';

const OWN = { name: 'stalemate', version: '0.1.0', license: 'Apache-2.0' };
const PARTS: Parts = {
  lock: readLock(),
  data: [{ id: 'dist/apiserver/server/kinds/generated/boot.json', sha256: 'a'.repeat(64) }],
  node: { id: '24.0.0', sha256: 'b'.repeat(64) },
};
const BILL = billOfMaterials(OWN, PARTS);

function schema(name: string): object {
  const folder = join(REPOSITORY_ROOT, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
  return JSON.parse(readFileSync(join(folder, `${name}.SNAPSHOT.schema.json`), 'utf8')) as object;
}

/** Returns all components, including nested ones. */
function all(components: readonly Component[]): readonly Component[] {
  return components.flatMap((one) => [one, ...all(one.components ?? [])]);
}

describe('the bill of materials', () => {
  it('follows the schema of CycloneDX 1.6', () => {
    // Checking string formats (addresses, dates) would need two more packages; only purls occur here.
    const ajv = new Ajv({ strict: false, validateFormats: false });
    for (const name of ['spdx', 'jsf-0.82'])
      ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    const validate = ajv.compile(schema('bom-1.6'));

    for (const bill of [BILL, billOfMaterials(OWN, { lock: PARTS.lock, data: [] })])
      expect(validate(bill) ? [] : validate.errors).toEqual([]);
    expect(validate({ ...BILL, serialNumber: 'none' })).toBe(false);
  });

  it('lists every package that is installed for users, the data and Node, each with version, licence and digest', () => {
    const names = BILL.components.map(({ name }) => name);

    expect(names).toEqual(expect.arrayContaining(['client-node', 'yaml', 'fast-check', 'kubernetes', 'node']));
    expect(names).not.toContain('vitest');
    for (const { type, name, version, licenses, purl } of BILL.components)
      expect({ type, name, version, licenses, purl }).toEqual({
        type: expect.stringMatching(/^(library|data|platform)$/),
        name: expect.stringMatching(/./),
        version: expect.stringMatching(/^\d/),
        licenses: [{ license: { id: expect.stringMatching(/./) as string } }],
        purl: expect.stringMatching(/^pkg:(npm|github)\/.+@v?\d/),
      });
    // Data has a digest for each of its files.
    const digested = all(BILL.components).filter(({ components }) => components === undefined);
    expect(digested.filter(({ hashes: [one] = [] }) => !/^([0-9a-f]{64}){1,2}$/.test(one?.content ?? ''))).toEqual([]);
  });

  it('lists dependencies, and no component twice', () => {
    const refs = BILL.components.map((one) => one['bom-ref']);
    const known = new Set(refs);

    expect(known.size).toBe(refs.length);
    expect(BILL.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !known.has(ref))).toEqual([]);
    const root = BILL.dependencies.find(({ ref }) => ref === BILL.metadata.component['bom-ref']);
    expect(root?.dependsOn).toEqual(expect.arrayContaining(['node', 'kubernetes']));
  });

  it('is reproducible, and has a different serial number for different parts', () => {
    const serial = (parts: Partial<Parts>): Bill['serialNumber'] =>
      billOfMaterials(OWN, { ...PARTS, ...parts }).serialNumber;

    expect(JSON.stringify(billOfMaterials(OWN, PARTS))).toBe(JSON.stringify(BILL));
    expect(serial({})).toBe(BILL.serialNumber);
    expect(serial({ node: { id: '24.0.0', sha256: 'c'.repeat(64) } })).not.toBe(BILL.serialNumber);
    expect(BILL.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
