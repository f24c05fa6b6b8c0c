import { expect, it } from 'vitest';
import { kindOf } from './path-dependence.ts';

const at = (path: string): string =>
  kindOf({ what: 'wrong-value', resource: 'widgets.example.com', object: 'widgets.example.com/a', path });

it('is the same kind of difference whatever a sentence in a list says', () => {
  expect(at('status.messages["the \\"first\\" reason"]')).toBe(at('status.messages["another reason"]'));
  expect(at('metadata.annotations["example.com/a"]')).not.toBe(at('metadata.annotations["example.com/b"]'));
});
