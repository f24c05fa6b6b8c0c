import { describe, expect, it } from 'vitest';
import { HarnessError, InvariantError } from '../model/errors.ts';
import { explain } from './explain.ts';

function explained(error: unknown): { readonly code: number; readonly text: string } {
  let text = '';
  const code = explain(error, { err: (more) => (text += more) });
  return { code, text };
}

describe('explain', () => {
  it('tells a mistake of the user in one line, with the exit code of its kind', () => {
    expect(explained(new HarnessError('USAGE', 'got x, expected y'))).toEqual({
      code: 2,
      text: 'stalemate: got x, expected y\n',
    });
    expect(explained(new HarnessError('USAGE', '"\0\u001B[2J" is not JSON')).text).toBe(
      'stalemate: "\\u0000\\u001b[2J" is not JSON\n',
    );
    expect(explained(new HarnessError('TARGET_FAILED', 'm')).code).toBe(3);
    expect(explained(new HarnessError('OUTPUT_FAILED', 'm')).code).toBe(3);
    expect(explained(new HarnessError('REFUSED', 'm')).code).toBe(5);
  });

  it('shows the stack of a fault of its own and asks for a report', () => {
    const { code, text } = explained(new InvariantError('the sky is up'));

    expect(code).toBe(4);
    expect(text).toContain('a fault of stalemate itself, not of your controller');
    expect(text).toMatch(/harness invariant broken: the sky is up\n\s+at /);
    expect(text).toMatch(/please report it .* \(stalemate \d+\.\d+\.\d+, node \d+/);
  });

  it('survives what is no error at all', () => {
    expect(explained('gone')).toMatchObject({ code: 4, text: expect.stringContaining('\ngone\n') as string });
  });
});
