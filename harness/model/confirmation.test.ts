import { describe, expect, it } from 'vitest';
import { confirmationText, type Confirmation } from './confirmation.ts';

const asked = (k: number): Confirmation => ({
  cluster: 'envtest',
  server: 'kube-apiserver 1.36.3',
  reproduced: { k, n: 5 },
});

describe('what a real server said', () => {
  it('is told as k of n, never more', () => {
    expect(confirmationText({ confirmed: asked(4) })).toBe('confirmed 4 of 5 on envtest (kube-apiserver 1.36.3)');
    expect(confirmationText({ confirmed: asked(0) })).toBe(
      'embedded only, not confirmed: 0 of 5 on envtest (kube-apiserver 1.36.3)',
    );
    const few = { ...asked(0), reproduced: { k: 0, n: 4 } };
    expect(confirmationText({ confirmed: few })).toBe('not confirmed, 0 of 4 on envtest (kube-apiserver 1.36.3)');
  });

  it('is missing where none was asked, and nothing to what was found on one', () => {
    expect(confirmationText({})).toBe('embedded only');
    expect(confirmationText({ cluster: 'kind' })).toBeUndefined();
  });
});
