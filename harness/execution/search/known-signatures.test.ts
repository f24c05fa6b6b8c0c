import { expect, it } from 'vitest';
import { signatureText } from '../../model/check-result.ts';
import { KnownSignatures } from './known-signatures.ts';
import { violation } from '../run/test-verdicts.ts';

const { signature } = violation();

it('knows what was known before, and what was found', () => {
  const known = new KnownSignatures([signatureText(violation({ field: 'spec' }).signature)]);
  known.add(signature);

  expect(known.has(signature)).toBe(true);
  expect(known.has(violation({ field: 'spec' }).signature)).toBe(true);
  expect(known.has(violation({ field: 'status' }).signature)).toBe(false);
});

it('looks into what came back in no run again when it is seen again, three times in all', () => {
  const known = new KnownSignatures([]);
  const again = [1, 2, 3].map(() => {
    known.add(signature);
    known.lookedInVain(signature);
    return !known.has(signature);
  });

  expect(again).toEqual([true, true, false]);
});
