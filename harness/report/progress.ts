/** Prints the progress of a campaign: a line that is rewritten on a terminal, or plain lines at intervals. */
import { realNow } from '../determinism/real-time.ts';
import { countText, rateText } from './count-text.ts';

export interface ProgressFacts {
  readonly runs: number;
  readonly runsPerSecond: number;
  readonly findings: number;
  readonly remainingMs?: number;
  readonly phase: string;
  /** Number of the current undisturbed run, while the target is measured. */
  readonly undisturbed?: number;
}

/** The destination of the lines: the part of a writable stream that is needed. */
export interface LineSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Without a terminal, the number of runs after which the first line is printed; further lines follow each time that number doubles. */
const FIRST_LINE_RUNS = { quick: 1000, slow: 10 } as const;
/** Below this rate, in runs per second, the first line is printed after ten runs. */
const SLOW_PER_SECOND = 20;
/** Without a terminal, a line is printed at least this often, in ms, even if the number of runs has not doubled. */
const LINE_EVERY_MS = 20_000;
const CLEAR_LINE = '\r\u001B[K';

/** Texts for phases other than the search itself. */
const PHASES: { readonly [phase: string]: string } = {
  load: 'loading the target',
  references: 'running it undisturbed',
  shrink: 'shrinking a suspected violation',
  reproduce: 'running a suspected violation again',
};

/** Texts for phases of a replay, where they differ. */
const REPLAY_PHASES: { readonly [phase: string]: string } = {
  replay: 'replaying it',
  shrink: 'shrinking it',
  reproduce: 'running the smaller form again',
};

/** Texts for phases after the time for the search has run out. */
const AFTERWARDS: { readonly [phase: string]: string } = {
  references: 'ending the undisturbed runs',
  search: 'ending the last runs',
};

export interface ProgressLine {
  show(facts: ProgressFacts): void;
  /** Removes the line, so that something else can be printed. */
  clear(): void;
}

/**
 * @param sink - The destination, usually stderr: stdout is for the result.
 * @param now - Returns the real time in ms.
 */
export function progressLine(sink: LineSink, now: () => number = realNow): ProgressLine {
  let shown = false;
  let next: number = FIRST_LINE_RUNS.slow;
  const phases = new Set<string>();
  let lastMs = now();
  return {
    show(facts) {
      const text = progressText(facts);
      if (sink.isTTY === true) {
        sink.write(CLEAR_LINE + text.slice(0, (sink.columns || 80) - 1));
        shown = true;
        return;
      }
      const first = facts.runsPerSecond < SLOW_PER_SECOND ? FIRST_LINE_RUNS.slow : FIRST_LINE_RUNS.quick;
      const isSilent = now() - lastMs >= LINE_EVERY_MS;
      if (facts.runs < Math.max(next, first) && phases.has(facts.phase) && !isSilent) return;
      lastMs = now();
      next = Math.max(next, 2 * facts.runs);
      phases.add(facts.phase);
      sink.write(`${text}\n`);
    },
    clear() {
      if (shown) sink.write(CLEAR_LINE);
      shown = false;
    },
  };
}

/** Returns the text for a phase of a replay. */
export function replayPhaseText(phase: string): string {
  return REPLAY_PHASES[phase] ?? PHASES[phase] ?? phase;
}

/** Formats the progress: `search · 1200 runs · 812/s · 2 findings · 41 s left`; after the search, the remaining phase. */
export function progressText(facts: ProgressFacts): string {
  const { phase, runs, runsPerSecond, findings, remainingMs, undisturbed = 0 } = facts;
  return [
    PHASES[phase] ?? phase,
    ...(undisturbed === 0 ? [] : [`run ${undisturbed}`]),
    // Before the first run has ended, all counts are zero.
    ...(runs === 0 ? [] : [countText(runs, 'run'), rateText(runsPerSecond), countText(findings, 'finding')]),
    ...(remainingMs === undefined ? [] : [timeText(phase, Math.ceil(remainingMs / 1000))]),
  ].join(' · ');
}

function timeText(phase: string, seconds: number): string {
  if (seconds > 0) return `${seconds} s left`;
  const what = AFTERWARDS[phase];
  return what === undefined ? 'time is up' : `time is up: ${what}`;
}
