import { expect, it } from 'vitest';
import { unreadable } from './test-readable.ts';

it('knows a sentence that nobody should have to read', () => {
  expect(unreadable('sends requests every Infinity ms although nothing else happens:  of')).toContain('a number');
  expect(unreadable('controller repeats a request:  of ')).toContain('an empty name');
  expect(unreadable('sets undefined of widgets/a')).toContain('never there');
  expect(unreadable('inconclusive: 5 runs (125.0 %)')).toContain('more than all');
  expect(unreadable('controller leaves widgets/a with spec.x "undefined  of", 5 runs (100.0 %)')).toBeUndefined();
});
