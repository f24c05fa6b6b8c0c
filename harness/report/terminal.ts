/**
 * Renders a story for a terminal: at most 40 lines of 100 columns, readable at 60.
 *
 * Owns: layout. One column per actor and one for the API server if there is room, else one line per step that begins with the
 * actor's name. Colour only repeats what signs show already (`✗`, `──`), so that nothing depends on it.
 */
import pc from 'picocolors';
import type { ActorId } from '../model/actor.ts';
import { assertNever } from '../model/errors.ts';
import type { FindingStats } from '../model/finding.ts';
import type { DeviationRow } from './deviation-rows.ts';
import type { Story } from './story.ts';
import type { OperationRow, StoryRow } from './story-row.ts';
import { ARROW_WIDTH, columnsOf, headOf, NUMBER_WIDTH, type Columns } from './columns.ts';
import { countText, spanText } from './count-text.ts';
import { inShort } from './suggested-fix.ts';
import { plainTexts } from './plain-text.ts';
import { cut, wrap, wrapWithin } from './text-wrap.ts';

export interface TerminalOptions {
  /** Number of columns; values from 60 to 160 make a difference. */
  readonly width: number;
  readonly color: boolean;
  /** Command that replays the finding, printed last. */
  readonly replay: string;
}

type Colors = ReturnType<typeof pc.createColors>;

interface Layout {
  readonly width: number;
  readonly colors: Colors;
  readonly columns: Columns;
}

const SENTENCE_LINES_MAX = 8;
const ERROR_LINES_MAX = 3;

/** Renders a story. Lines have no trailing spaces, and the text ends with a line feed. */
export function renderStory(raw: Story, options: TerminalOptions): string {
  const story = plainTexts(raw);
  const width = Math.max(50, Math.min(160, options.width));
  const layout: Layout = { width, colors: pc.createColors(options.color), columns: columnsOf(story, width) };
  const lines = [
    ...headLines(story, layout),
    columnHeads(story, layout),
    ...rowLines(story, layout),
    ...unrelatedLines(story),
    ...atRestLines(story, layout),
    ...footLines(story, layout, options.replay),
  ];
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function headLines(story: Story, { width, colors }: Layout): readonly string[] {
  const indent = story.title.length + 2;
  const lines = wrapWithin(`${story.title}  ${story.sentence}`, width, Math.min(indent, 20), SENTENCE_LINES_MAX);
  const first = lines[0] ?? '';
  return [colors.bold(colors.red(story.title)) + first.slice(story.title.length), ...lines.slice(1)];
}

function columnHeads(story: Story, { columns: { actors, server }, colors, width }: Layout): string {
  const serverHead = story.object === undefined ? 'API server' : `API server ${story.object}`;
  if (actors.size === 0) return colors.dim(cut(` #  who: request → ${serverHead}`, width));
  const starts = [...actors.values(), server];
  let line = ' #';
  story.actors.forEach((actor, index) => {
    const [start = 0, end = server] = starts.slice(index, index + 2);
    const head = headOf(actor);
    line = line.padEnd(start) + (head.length < end - start ? head : cut(actor, end - start - 1));
  });
  return colors.dim(cut(`${line.padEnd(server)}${serverHead}`, width));
}

function rowLines(story: Story, layout: Layout): readonly string[] {
  const lines: string[] = [];
  const numbers: number[] = [];
  let number = 0;
  for (const row of story.rows) {
    if (row.row === 'operation' || row.row === 'seen') number++;
    if (row.row === 'operation') numbers.push(number);
    lines.push(...linesOf(row, number, numbers, layout));
  }
  return lines;
}

function linesOf(row: StoryRow, number: number, numbers: readonly number[], layout: Layout): readonly string[] {
  const { colors, width } = layout;
  switch (row.row) {
    case 'seen':
      return [cut(`${lead(String(number), row.actor, layout)}${row.text}`, width)];
    case 'operation':
      return operationLines(row, number, layout);
    case 'deviation':
      return deviationLines(row, layout);
    case 'event': {
      const text = `${row.guilty ? '✗ ' : ''}${row.text}`;
      const before = lead('', row.actor, layout);
      if (row.kind === 'log') {
        // Errors are wrapped, other lines are cut, because an error states its reason at the end.
        if (!row.isError) return [colors.dim(cut(before + text, width))];
        return wrapWithin(text, width - before.length, 2, ERROR_LINES_MAX).map((line) => colors.dim(before + line));
      }
      const lines = wrapWithin(text, width - before.length, 2, 2).map((line) => before + line);
      return row.guilty ? lines.map((line) => colors.red(line)) : lines;
    }
    case 'folded':
      return [colors.dim(cut(foldedText(row, numbers), width))];
    default:
      return assertNever(row);
  }
}

/**
 * Describes what a folded row replaces.
 *
 * @param numbers - The numbers of the operation rows before it.
 */
export function foldedText(row: Extract<StoryRow, { row: 'folded' }>, numbers: readonly number[]): string {
  if (row.waitMs !== undefined) return `    ${spanText(row.waitMs)} later`;
  if (row.cycle === undefined) return `    … ${countText(row.steps, 'more step')} on the way`;
  const { rounds, length, overMs } = row.cycle;
  const last = numbers.at(-1) ?? 0;
  const first = numbers.at(-length) ?? last;
  const like = first === last ? `row ${last}` : `rows ${first}–${last}`;
  const time =
    overMs === 0 ? ', at one instant' : `, over ${(overMs / 1000).toFixed(overMs < 10_000 ? 1 : 0)} s in all`;
  return `    … ${rounds} more like ${like}${time}`;
}

/** Returns the number of a row and, depending on the layout, the space up to the actor's column or the actor's name. */
function lead(number: string, actor: ActorId, { columns: { actors } }: Layout): string {
  const start = ` ${number.padEnd(NUMBER_WIDTH - 2)} `;
  if (actors.size === 0) return `${start}${actor}: `;
  return start.padEnd(actors.get(actor) ?? NUMBER_WIDTH);
}

function operationLines(row: OperationRow, number: number, layout: Layout): readonly string[] {
  const { colors, width } = layout;
  const { actors, server } = layout.columns;
  const notes = [row.guilty ? `✗ ${row.remark ?? ''}`.trimEnd() : '', row.stale ?? ''].filter((note) => note !== '');
  const before = lead(String(number), row.actor, layout);
  const arrowWidth = actors.size === 0 ? ' → '.length : ARROW_WIDTH;
  const room = width - before.length - (row.answer === undefined ? 0 : row.answer.length + arrowWidth);
  if (row.guilty && Math.min(row.request.length, row.short.length) > room)
    return brokenLines(row, before, notes, layout);
  let line: string;
  if (row.answer === undefined) line = `${before}${fitting(row, room)}`;
  else if (actors.size === 0) {
    line = `${before}${fitting(row, room)} → ${row.answer}`;
  } else {
    const request = fitting(row, room, server - before.length - ARROW_WIDTH);
    const shaft = server - before.length - request.length - 3;
    line = `${before}${request} ${'─'.repeat(Math.max(1, shaft))}▶ ${row.answer}`;
  }
  line = cut(line, width);
  const note = notes.join('  ');
  if (note === '') return [line];
  const colored = row.guilty ? colors.red(note) : colors.yellow(note);
  if (line.length + 2 + note.length <= width) return [`${line}  ${colored}`];
  const indent = Math.max(NUMBER_WIDTH, Math.min(server, width - note.length));
  return [line, `${' '.repeat(indent)}${colored}`];
}

/** Renders the guilty row if its request is too long for one line: it is what the whole story is about, so it is never cut. */
function brokenLines(
  { request, answer }: OperationRow,
  before: string,
  notes: readonly string[],
  { colors, width, columns: { actors, server } }: Layout,
): readonly string[] {
  const [first = '', ...more] = wrap(request, width - before.length, 2);
  const indent = ' '.repeat(before.length);
  const arrow = actors.size === 0 ? '→' : `${'─'.repeat(Math.max(1, server - before.length - 2))}▶`;
  const remarks = notes.flatMap((note) => wrap(note, width - before.length, 2));
  return [
    before + first,
    ...more.map((line) => indent + line),
    ...(answer === undefined ? [] : [cut(`${indent}${arrow} ${answer}`, width)]),
    ...remarks.map((note) => indent + colors.red(note)),
  ];
}

/**
 * Returns the whole request if it fits into `wanted`, else its short form, cut to `room`. If neither fits into `wanted`, returns the whole
 * request if it fits into `room`.
 */
function fitting({ request, short }: OperationRow, room: number, wanted = room): string {
  if (request.length <= wanted) return request;
  return cut(short.length <= wanted || request.length > room ? short : request, room);
}

/**
 * Renders a deviation. Besides the guilty mark, deviations are the only coloured rows. Users copy the labels in them, so labels are wrapped
 * and never cut.
 */
function deviationLines(row: DeviationRow, { colors, width }: Layout): readonly string[] {
  const ordinal = row.ordinal === undefined ? '' : ` ${row.ordinal}`;
  const without = row.without === undefined ? '' : `(without it: ${row.without})`;
  const text = ` ── ${row.kind}${ordinal}: ${row.text}`;
  const lines = [...wrap(text.slice(1), width - 1, NUMBER_WIDTH)].map((line) => ` ${line}`);
  let last = lines.at(-1) ?? '';
  if (last.length + 3 <= width) last += ' ──';
  if (without !== '' && last.length + 3 + without.length <= width) {
    lines[lines.length - 1] = `${last}   ${without}`;
  } else {
    lines[lines.length - 1] = last;
    if (without !== '') lines.push(`${' '.repeat(NUMBER_WIDTH + 1)}${without}`);
  }
  return lines.map((line) => colors.cyan(line));
}

function unrelatedLines(story: Story): readonly string[] {
  const { unrelatedSteps } = story;
  if (unrelatedSteps === 0) return [];
  return [`    … and ${countText(unrelatedSteps, 'step')} on other objects`];
}

function atRestLines(story: Story, { width, colors }: Layout): readonly string[] {
  return story.atRest.map(({ object, leaf, expected, actual }) => {
    const text = (field: string): string =>
      ` at rest  ${object}${field === '' ? '' : ` ${field}`}: ${actual}, expected ${expected}`;
    const over = text(leaf).length - width;
    return colors.bold(cut(over <= 0 ? text(leaf) : text(endOf(leaf, leaf.length - over)), width));
  });
}

/** Minimum length of a shortened field, so that at least its last names are shown. */
const LEAF_MIN = 24;

/** Shortens a field at its beginning: deep fields have the same beginning, and the end and both values matter more. */
function endOf(field: string, room: number): string {
  return `…${field.slice(-Math.max(LEAF_MIN, room - 1))}`;
}

/** Renders the footer. The command and the waiver each get a line of their own, whatever the width, so that they can be copied. */
function footLines(story: Story, { width }: Layout, replay: string): readonly string[] {
  const missed =
    story.missed.length === 0 ? [] : wrapWithin(`never happened: ${story.missed.join(', ')}`, width - 1, 2, 2);
  const because = story.cause === undefined ? [] : wrapWithin(`cause: ${story.cause}`, width - 1, 2, 2);
  const shows = story.symptoms.flatMap((line) => wrapWithin(`shows as ${line}`, width - 1, 2, 2));
  const own = story.reconciles === undefined ? [] : wrap(story.reconciles, width - 1, 2);
  const tried = story.stats === undefined ? [] : wrapParts(triedText(story.stats, story), width - 1);
  const fix = story.fix === undefined ? [] : wrap(`fix: ${inShort(story.fix)}`, width - 1, 2);
  return [...missed, ...because, ...shows, ...own, ...tried, ...fix, `replay: ${replay}`, `waive: ${story.waiver}`].map(
    (line) => ` ${line}`,
  );
}

const BESIDE = ' · ';
const NO_BREAK = '\u00A0';

/** Breaks lines between parts only. */
function wrapParts(text: string, width: number): readonly string[] {
  const whole = text.split(BESIDE).map((part) => part.replaceAll(' ', NO_BREAK));
  return wrap(whole.join(BESIDE), width, 2).map((line) => line.replaceAll(NO_BREAK, ' '));
}

/** Formats the evidence: `93→6 steps · 24→2 actors · 25 runs · deterministic 5/5 · everyday (no lag needed) · embedded only`. */
export function triedText(
  stats: FindingStats,
  { deterministic, confirmed }: Pick<Story, 'deterministic' | 'confirmed'>,
): string {
  return [
    effortText(stats, deterministic),
    `${stats.grade} (${needsText(stats)})`,
    ...(confirmed === undefined ? [] : [confirmed]),
  ].join(BESIDE);
}

/** Formats the first half of {@link triedText}, for places that show grade and confirmation separately. */
export function effortText(stats: FindingStats, deterministic: boolean): string {
  const { k, n } = stats.reproduced;
  const count = stats.count > 1 ? [`seen in ${stats.count} runs`] : [];
  return [
    shrunkText(stats.stepsBefore, stats.stepsAfter, 'step'),
    shrunkText(stats.actorsBefore, stats.actorsAfter, 'actor'),
    `${stats.executions} runs`,
    k === n && deterministic ? `deterministic ${k}/${n}` : `reproduced ${k}/${n}`,
    ...count,
  ].join(BESIDE);
}

/** Describes the shrinking. A run with fewer deviations may take more steps, because it runs for longer. */
function shrunkText(before: number, after: number, noun: string): string {
  if (after < before) return `${before}→${countText(after, noun)}`;
  return after === before ? countText(after, noun) : `${countText(after, noun)} (${before} when found)`;
}

function needsText({ holds, heldItems, faults }: FindingStats): string {
  const lag = holds === 0 ? 'no lag needed' : `lag of ${countText(heldItems, 'event')}`;
  return faults === 0 ? lag : `${lag}, ${countText(faults, 'fault')}`;
}
