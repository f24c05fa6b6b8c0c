import { expect, it } from 'vitest';
import { toPodText } from './undeclared.ts';

it('names the address of a pod in the output of a target, and of nothing else', () => {
  const lines = (...texts: string[]) => texts.map((line) => ({ line }));

  expect(toPodText(lines('started', 'dial tcp 198.18.28.113:9999: connect: network is unreachable'))).toContain(
    'by its address, 198.18.28.113:9999: nothing runs',
  );
  expect(
    toPodText(lines('version 1198.18.2.3', 'dial tcp 10.0.0.1:443: refused', 'endpoint 198.18.1.2:80')),
  ).toBeUndefined();
});
