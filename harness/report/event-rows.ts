/** Builds the rows of a story for process events and log lines of the target. */
import { roleOf, type ActorId } from '../model/actor.ts';
import type { Violation } from '../model/check-result.ts';
import type { History, ProcessEventKind } from '../model/history.ts';
import { logText, readLogLine } from './log-line.ts';

export interface EventRow {
  readonly row: 'event';
  readonly at: number;
  readonly actor: ActorId;
  readonly kind: ProcessEventKind | 'log';
  readonly text: string;
  /** Whether it is a line that states an error. */
  readonly isError: boolean;
  readonly guilty: boolean;
}

/** Maximum number of log lines shown. */
const LOG_LINES = 6;

const WORDS: { readonly [kind in ProcessEventKind]: string } = {
  started: 'started',
  'start-failed': 'failed to start',
  crashed: 'killed',
  exited: 'exited',
  unhandled: 'unhandled',
  paused: 'paused',
  resumed: 'continues',
  stopped: 'stopped',
};

/** @param names - Objects of the story, such as `default/web`: lines that name one of them are shown first. */
export function eventRows(
  history: History,
  from: number,
  violation: Violation,
  names: ReadonlySet<string>,
): readonly EventRow[] {
  const survives = violation.signature.property === 'survival';
  const processes = history.processes
    .filter((event) => roleOf(event.actor) === 'target' && event.at >= from && event.at <= violation.at)
    .filter((event) => event.kind !== 'stopped')
    .map((event): EventRow => {
      const fatal = event.kind === 'unhandled' || event.kind === 'exited' || event.kind === 'start-failed';
      const text = event.detail === '' ? WORDS[event.kind] : `${WORDS[event.kind]}: ${firstLine(event.detail)}`;
      return {
        row: 'event',
        at: event.at,
        actor: event.actor,
        kind: event.kind,
        text,
        isError: false,
        guilty: survives && fatal,
      };
    });
  const logs = selectedLines(history, from, violation, names).map(({ at, actor, line }): EventRow => {
    const { level, error } = readLogLine(line);
    return {
      row: 'event',
      at,
      actor,
      kind: 'log',
      isError: level === 'error' || error !== '',
      text: `“${logText(line, names.size === 1 ? names : NONE)}”`,
      guilty: false,
    };
  });
  return [...processes, ...logs];
}

const NONE: ReadonlySet<string> = new Set();
/**
 * Lines that @kubernetes/client-node prints below the first line of an error. They are omitted, because the story already shows the answer.
 */
const BELOW = /^(?:Message|Body|Headers): /;

/** Lines of a stack trace in Go, Rust, Java, JavaScript and Python; only the story of a crash shows them. */
const FRAME =
  /^\s+at \S|^\s*\S+\.(?:go|rs):\d+(?: \+0x[\da-f]+)?$|^[\w.-]+(?:\/[\w.@~-]+)+\.\S+$|^\s+File ".+", line \d+|^\s*\.\.\. \d+ more$/;

type Line = NonNullable<History['logs']>[number];

/**
 * Selects the most informative lines: those about the story's objects, then warnings and errors, then the last ones. The result
 * is sorted by time.
 */
function selectedLines(
  { logs = [] }: History,
  from: number,
  violation: Violation,
  names: ReadonlySet<string>,
): readonly Line[] {
  const weights = new Map<Line, number>();
  for (const line of logs) {
    if (line.at < from || line.at > violation.at) continue;
    const { level, object, message } = readLogLine(line.line);
    if (message === '' || BELOW.test(message)) continue;
    if (violation.signature.property !== 'survival' && FRAME.test(line.line)) continue;
    const named = names.has(object) || [...names].some((name) => message.includes(name) || name.endsWith(`/${object}`));
    weights.set(line, (named ? 2 : 0) + (level === 'error' || level === 'warning' ? 1 : 0));
  }
  const ordered = [...weights].sort(([a, one], [b, other]) => other - one || b.at - a.at);
  return ordered
    .slice(0, LOG_LINES)
    .map(([line]) => line)
    .sort((a, b) => a.at - b.at);
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').trim();
}
