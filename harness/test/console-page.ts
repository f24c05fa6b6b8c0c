/**
 * Executes the examples of a page: its ```console blocks in order, and the actions between them (`<!-- … -->`, from a list).
 *
 * In an output, `…` matches any text, and on a line of its own any number of lines; `# exit code N` ends it if the code is not 0.
 */
import { expect } from 'vitest';
import { shell } from '../cli/test-bin.ts';

interface Example {
  readonly command: string;
  readonly output: string;
  readonly code: number;
}

/** Returns the examples and actions of a page in order. */
function stepsOf(page: string): readonly (Example | string)[] {
  return [...page.matchAll(/^<!-- (.*) -->$|^```console\n([\s\S]*?)^```$/gm)].flatMap(
    ([, happening, block]): readonly (Example | string)[] =>
      happening === undefined ? examplesIn(block ?? '') : [happening],
  );
}

function examplesIn(block: string): readonly Example[] {
  return block
    .split(/^\$ /m)
    .filter((text) => text !== '')
    .map((text) => {
      const [command = '', ...rest] = text.trimEnd().split('\n');
      const code = Number(/^# exit code (\d)$/.exec(rest.at(-1) ?? '')?.[1] ?? 0);
      return { command, output: (code === 0 ? rest : rest.slice(0, -1)).join('\n'), code };
    });
}

/** Returns a pattern for the shown lines: a line `…` matches any number of lines. */
function patternOf(shown: string): RegExp {
  const escaped = shown.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const lines = escaped.replaceAll(/^…(?:\n|$)/gm, '\u0000').replaceAll('…', '[^\\n]*');
  return new RegExp(`^${lines.replaceAll('\u0000', '(?:[^\\n]*(?:\\n|$))*?')}$`);
}

/** Executes a page in a folder; returns its number of examples and actions. */
export function executePage(page: string, folder: string, happenings: { readonly [text: string]: () => void }): number {
  const steps = stepsOf(page);
  for (const step of steps) {
    if (typeof step === 'string') {
      happenings[step]?.();
      continue;
    }
    const line = `${step.command.replace('npx stalemate', '$STALEMATE')} 2>&1`;
    const { code, stdout } = shell(line, folder);
    const output = expect.stringMatching(patternOf(step.output)) as string;
    expect({ command: step.command, output: stdout.trimEnd(), code }).toEqual({ ...step, output });
  }
  return steps.length;
}
