/**
 * Renders a story as a Mermaid sequence diagram, which code hosts display in job summaries and comments.
 *
 * Owns: the diagram's syntax. Characters with a meaning in Mermaid, or in the HTML that it produces, are written as codes.
 */
import { roleOf } from '../../model/actor.ts';
import { assertNever } from '../../model/errors.ts';
import type { Story } from '../story.ts';
import type { OperationRow, StoryRow } from '../story-row.ts';
import { foldedText } from '../terminal.ts';
import { oneLine } from './plain-text.ts';

/** Maximum length of a text. Longer ones make the diagram too wide to read; the story beside it contains them in full. */
const TEXT_MAX = 110;
const SERVER = 'api';

/** Renders the lines of a diagram; the text ends with a line feed. */
export function sequenceOf(story: Story): string {
  const names = new Map(story.actors.map((actor, index) => [actor, `a${index}`]));
  const heads = story.actors.map(
    (actor, index) => `${roleOf(actor) === 'user' ? 'actor' : 'participant'} a${index} as ${safe(actor)}`,
  );
  const server = story.object === undefined ? 'API server' : `API server: ${story.object}`;
  const whole = [names.get(story.actors[0] ?? ''), SERVER].filter((name) => name !== undefined).join(',');
  const numbers: number[] = [];
  let number = 0;
  const rows = story.rows.flatMap((row) => {
    if (row.row === 'operation' || row.row === 'seen') number++;
    if (row.row === 'operation') numbers.push(number);
    return linesOf(row, names, whole, numbers);
  });
  const rest = story.atRest.map(({ object, leaf, expected, actual }) =>
    note(`over ${SERVER}`, `at rest ${object}${leaf === '' ? '' : ` ${leaf}`}: ${actual}, expected ${expected}`),
  );
  const lines = [...heads, `participant ${SERVER} as ${safe(server)}`, ...rows, ...rest];
  return `sequenceDiagram\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function linesOf(
  row: StoryRow,
  names: ReadonlyMap<string, string>,
  whole: string,
  numbers: readonly number[],
): readonly string[] {
  switch (row.row) {
    case 'seen':
      return [note(`over ${names.get(row.actor) ?? SERVER}`, `has seen ${row.text}`)];
    case 'operation':
      return operationLines(row, names.get(row.actor) ?? SERVER);
    case 'deviation': {
      const ordinal = row.ordinal === undefined ? '' : ` ${row.ordinal}`;
      const without = row.without === undefined ? '' : ` (without it: ${row.without})`;
      return [note(`over ${whole}`, `${row.kind}${ordinal}: ${row.text}${without}`)];
    }
    case 'event':
      return [note(`over ${names.get(row.actor) ?? SERVER}`, `${row.guilty ? '✗ ' : ''}${row.text}`)];
    case 'folded':
      return [note(`over ${whole}`, foldedText(row, numbers).trim())];
    default:
      return assertNever(row);
  }
}

/** Renders a request, and its answer if the row has one; the guilty request has a frame, because colour alone is not enough. */
function operationLines(row: OperationRow, actor: string): readonly string[] {
  const lines = [`${actor}->>${SERVER}: ${safe(row.request)}`];
  if (row.answer !== undefined) lines.push(`${SERVER}-->>${actor}: ${safe(row.answer)}`);
  if (row.stale !== undefined) lines.push(note(`over ${actor}`, row.stale));
  if (!row.guilty) return lines;
  const remark = note(`over ${actor},${SERVER}`, `✗ ${row.remark ?? 'this is the one'}`);
  return ['rect rgba(220, 50, 47, 0.18)', ...[...lines, remark].map((line) => `  ${line}`), 'end'];
}

function note(where: string, text: string): string {
  return `Note ${where}: ${safe(text)}`;
}

/** Keeps letters, digits and harmless signs, and writes every other character as its code. */
function safe(text: string): string {
  const line = oneLine(text);
  const short = line.length <= TEXT_MAX ? line : `${line.slice(0, TEXT_MAX - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  // Mermaid rejects an empty text.
  const shown = short.trim() === '' ? '-' : short.trim();
  return shown
    .replaceAll(/[#;<>&"'`%\\{}|*_~$[\]@:]/g, (character) => `#${character.charCodeAt(0)};`)
    .replaceAll(/\bend\b/gi, (word) => `#${word.charCodeAt(0)};${word.slice(1)}`);
}
