/** Reminds of the findings that earlier runs left in the report folder: a run that does not repeat them does not show that they are fixed. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { countText } from '../report/count-text.ts';
import { quoted } from '../report/shell-word.ts';

/** The number of commands that are printed. */
const SHOWN_MAX = 3;

/** Returns the paths of the stored counterexamples, sorted; none if the folder does not exist or is not readable. */
export function storedFindings(reportDir: string): readonly string[] {
  const folder = join(reportDir, 'failures');
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return names.toSorted().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/**
 * Returns the lines about stored findings that a run has not repeated; empty if there are none.
 *
 * @param stored Paths as {@link storedFindings} returned them before the run.
 * @param repeated The paths of this run's findings, relative to `cwd`.
 */
export function earlierText(
  stored: readonly string[],
  repeated: ReadonlySet<string>,
  { cwd, called }: { readonly cwd: string; readonly called: string },
): string {
  const left = stored.map((path) => relative(cwd, path)).filter((path) => !repeated.has(path));
  if (left.length === 0) return '';
  const shown = left.slice(0, SHOWN_MAX).map((path) => `  → ${called} replay ${quoted(path)}\n`);
  const more = left.length > SHOWN_MAX ? `  and ${left.length - SHOWN_MAX} more\n` : '';
  const [has, they] = left.length === 1 ? ['has', 'it is'] : ['have', 'they are'];
  const head = `${countText(left.length, 'finding')} of earlier runs ${has} not been seen in this one; to see whether ${they} fixed:`;
  return `${head}\n${shown.join('')}${more}`;
}
