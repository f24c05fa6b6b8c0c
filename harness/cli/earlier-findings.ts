/**
 * Reminds the user of findings that earlier runs left in the report folder: a run that does not repeat them does not show that they are
 * fixed.
 */
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
 * @param repeated Names or paths of this run's findings, and of the corpus entries, which are reported elsewhere.
 */
export function earlierText(
  stored: readonly string[],
  repeated: readonly string[],
  { cwd, called }: { readonly cwd: string; readonly called: string },
): string {
  // Findings of the same bug have the same number in their names, whatever the words before it.
  const seen = new Set(repeated.map(numberOf));
  const left = stored.map((path) => relative(cwd, path)).filter((path) => !seen.has(numberOf(path)));
  if (left.length === 0) return '';
  const shown = left.slice(0, SHOWN_MAX).map((path) => `  → ${called} replay ${quoted(path)}\n`);
  const more = left.length > SHOWN_MAX ? `  and ${left.length - SHOWN_MAX} more\n` : '';
  const [has, they] = left.length === 1 ? ['has', 'it is'] : ['have', 'they are'];
  const head = `${countText(left.length, 'finding')} of earlier runs ${has} not been reported by this one; to see whether ${they} fixed:`;
  return `${head}\n${shown.join('')}${more}`;
}

/** Returns the number at the end of a name such as `not-converged-9669dc.json`; the whole name if there is none. */
function numberOf(name: string): string {
  return /([0-9a-f]{6})(?:\.json)?$/.exec(name)?.[1] ?? name;
}
