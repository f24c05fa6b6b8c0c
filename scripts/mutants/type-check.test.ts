import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mutantsOf, ROOT } from './generate.ts';
import { SOURCES } from './sources.ts';
import { refusedTypes } from './type-check.ts';

it('refuses mutants that do not compile, and no others', async () => {
  const [one] = SOURCES.filter(({ controller }) => controller === 'disks').flatMap((source) => mutantsOf(source));
  if (one === undefined) throw new Error('there is no mutant');
  const original = readFileSync(ROOT + one.file, 'utf8');
  const mutants = [
    { ...one, id: 'original', text: original },
    { ...one, id: 'wrong', text: `${original}\nexport const wrong: string = 1;\n` },
  ];
  expect([...(await refusedTypes('typescript', mutants))]).toEqual(['wrong']);
});
