/** Formats schema validation issues for the author of a file. */
import type { z } from 'zod';

type Path = readonly PropertyKey[];

/** The most issues to print; readers ignore longer lists. */
const PRINTED_MAX = 4;

/** Returns the first issues as `at PLACE: EXPECTATION`, and how many more there are. */
export function describeIssues(error: z.ZodError, value: unknown): string {
  const issues = flatten(error.issues, []);
  if (issues.length === 0) return 'for an unknown reason';
  const printed = issues
    .slice(0, PRINTED_MAX)
    .map(({ issue, path }) => `at ${placeText(path)}: ${expectation(issue, valueAt(value, path))}`);
  const more = issues.length > PRINTED_MAX ? ` (and ${issues.length - PRINTED_MAX} more)` : '';
  return `${printed.join('; ')}${more}`;
}

/** Returns, for example, `schedule.preemptions[0].run`; the root of the document has a name too. */
function placeText(path: Path): string {
  if (path.length === 0) return 'the top level';
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(String(part))) text += text === '' ? String(part) : `.${String(part)}`;
    else text += `[${JSON.stringify(String(part))}]`;
  }
  return text;
}

interface PlacedIssue {
  readonly issue: z.core.$ZodIssue;
  readonly path: Path;
}

/** Flattens issues. For a union without a match, the branch that got furthest is the most informative: its issue has the longest path. */
function flatten(issues: readonly z.core.$ZodIssue[], base: Path): readonly PlacedIssue[] {
  const out: PlacedIssue[] = [];
  for (const issue of issues) {
    const path = [...base, ...issue.path];
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      const branches = issue.errors.map((branch) => flatten(branch, path));
      const furthest = branches.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best));
      if (depth(furthest) > path.length) {
        out.push(...furthest);
        continue;
      }
    }
    out.push({ issue, path });
  }
  return out;
}

function depth(issues: readonly PlacedIssue[]): number {
  return Math.max(0, ...issues.map((placed) => placed.path.length));
}

function expectation(issue: z.core.$ZodIssue, found: unknown): string {
  const instead = `, found ${foundText(found)}`;
  if (issue.code === 'invalid_type') return `expected ${article(issue.expected)}${instead}`;
  if (issue.code === 'invalid_value') {
    const values = issue.values.map((value) => JSON.stringify(value));
    return `expected ${values.length === 1 ? '' : 'one of '}${values.join(', ')}${instead}`;
  }
  if (issue.code === 'unrecognized_keys') {
    return `unknown ${issue.keys.length === 1 ? 'field' : 'fields'} ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
  }
  if (issue.code === 'invalid_key') {
    const [why] = issue.issues;
    return `${lowerFirst(why?.message ?? 'another key')}, found this key`;
  }
  return lowerFirst(issue.message.replace(/^Invalid input: /, '')) + instead;
}

function lowerFirst(text: string): string {
  return text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

function article(schemaType: string): string {
  const type = schemaType === 'record' ? 'map' : schemaType;
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** Formats a value for a message: short, never a whole document. */
export function foundText(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'function') return 'a function';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const part of path) {
    if (at === null || typeof at !== 'object') return undefined;
    at = (at as { readonly [key: PropertyKey]: unknown })[part];
  }
  return at;
}
