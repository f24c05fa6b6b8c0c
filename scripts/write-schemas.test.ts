import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../harness/schedule/codec/record.ts';
import { lostUpdate } from '../harness/report/test-findings.ts';
import { schemaFiles } from './write-schemas.ts';

describe('published schemas', () => {
  it.each([...schemaFiles()])('%s is what `npm run schemas` writes', (path, text) => {
    const published = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

    expect(JSON.parse(published)).toEqual(JSON.parse(text));
  });

  it('accept what the codec writes, and refuse what it would refuse', () => {
    const schema = JSON.parse(schemaFiles().get('docs/schemas/record.schema.json') ?? '') as object;
    const validate = new Ajv2020({ strict: false }).compile(schema);
    const { counterexample, record: history } = lostUpdate();
    const text = encodeRecord({ version: 3, kind: 'record', counterexample, history });

    expect(validate(JSON.parse(text))).toBe(true);
    expect(validate(JSON.parse(text.replace('"schedule"', '"scheduel"')))).toBe(false);
  });
});
