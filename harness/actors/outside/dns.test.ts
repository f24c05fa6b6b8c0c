import { expect, it } from 'vitest';
import { answerOf, questionIn } from './dns.ts';

/** The query that glibc sends to look up the address of `vault.example.com`. */
const QUERY = Buffer.from('1a2b01000001000000000000057661756c74076578616d706c6503636f6d0000010001', 'hex');

it('reads the name that is asked for', () => {
  expect(questionIn(QUERY)).toMatchObject({ name: 'vault.example.com', type: 1, id: 0x1a2b });
});

it('answers with an address', () => {
  const question = questionIn(QUERY);
  if (question === undefined) throw new TypeError('it is a query');

  expect(answerOf(question, '127.77.0.1').toString('hex')).toBe(
    '1a2b85800001000100000000057661756c74076578616d706c6503636f6d0000010001c00c000100010000000000047f4d0001',
  );
  expect(answerOf({ ...question, type: 28 }, '127.77.0.1').readUInt16BE(6)).toBe(0);
});

it('says that there is no such name', () => {
  const question = questionIn(QUERY);
  if (question === undefined) throw new TypeError('it is a query');

  expect(answerOf(question, null).toString('hex')).toBe(
    '1a2b85830001000000000000057661756c74076578616d706c6503636f6d0000010001',
  );
});

it.each([
  ['nothing', ''],
  ['an answer', '1a2b85830001000000000000057661756c740000010001'],
  ['a name that points into the message', '1a2b01000001000000000000c00c00010001'],
  ['a name without an end', '1a2b01000001000000000000057661756c74'],
])('takes %s for no question', (_, hex) => {
  expect(questionIn(Buffer.from(hex, 'hex'))).toBeUndefined();
});
