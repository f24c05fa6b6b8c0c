/** The rows of a story that stand for what became of the target's process, and its own log lines. */
import { roleOf, type ActorId } from '../model/actor.ts';
import type { Violation } from '../model/check-result.ts';
import type { History, ProcessEventKind } from '../model/history.ts';

export interface EventRow {
  readonly row: 'event';
  readonly at: number;
  readonly actor: ActorId;
  readonly kind: ProcessEventKind | 'log';
  readonly text: string;
  readonly guilty: boolean;
}

/** Log lines told at most: the last ones before the violation. */
const LOG_LINES = 4;

const WORDS: { readonly [kind in ProcessEventKind]: string } = {
  started: 'started',
  'start-failed': 'failed to start',
  crashed: 'killed',
  exited: 'exited',
  unhandled: 'unhandled',
  paused: 'stands still',
  resumed: 'goes on',
  stopped: 'stopped',
};

export function eventRows(history: History, from: number, violation: Violation): readonly EventRow[] {
  const survives = violation.signature.property === 'survival';
  const processes = history.processes
    .filter((event) => roleOf(event.actor) === 'target' && event.at >= from && event.at <= violation.at)
    .filter((event) => event.kind !== 'stopped')
    .map((event): EventRow => {
      const fatal = event.kind === 'unhandled' || event.kind === 'exited' || event.kind === 'start-failed';
      const text = event.detail === '' ? WORDS[event.kind] : `${WORDS[event.kind]}: ${firstLine(event.detail)}`;
      return { row: 'event', at: event.at, actor: event.actor, kind: event.kind, text, guilty: survives && fatal };
    });
  const logs = (history.logs ?? [])
    .filter((log) => log.at >= from && log.at <= violation.at)
    .slice(-LOG_LINES)
    .map((log): EventRow => {
      return {
        row: 'event',
        at: log.at,
        actor: log.actor,
        kind: 'log',
        text: `“${firstLine(log.line)}”`,
        guilty: false,
      };
    });
  return [...processes, ...logs];
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').trim();
}
