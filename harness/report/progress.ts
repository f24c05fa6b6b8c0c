/** How far a campaign is: one line that is rewritten on a terminal, plain lines now and then elsewhere. */
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

/** Where lines go; the part of a writable stream that is needed. */
export interface LineSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Elsewhere than on a terminal, a line comes when this many runs are done, and then each time that they have doubled. */
const FIRST_LINE_RUNS = { quick: 1000, slow: 10 } as const;
/** A target that makes fewer runs a second is waited for: there, ten are worth a line. */
const SLOW_PER_SECOND = 20;
const CLEAR_LINE = '\r\u001B[K';

/** What takes long before there is anything to count. */
const PHASES: { readonly [phase: string]: string } = {
  load: 'loading the target',
  references: 'running it undisturbed',
};

/** What is done when the time for the search is over. */
const AFTERWARDS: { readonly [phase: string]: string } = {
  references: 'ending the undisturbed runs',
  search: 'ending the last runs',
  shrink: 'shrinking what was found',
  reproduce: 'running what was found again',
};

export interface ProgressLine {
  show(facts: ProgressFacts): void;
  /** Takes the line away, so that something else can be printed. */
  clear(): void;
}

/** @param sink where to write, usually stderr: stdout belongs to the result. */
export function progressLine(sink: LineSink): ProgressLine {
  let shown = false;
  let next: number = FIRST_LINE_RUNS.slow;
  const phases = new Set<string>();
  return {
    show(facts) {
      const text = progressText(facts);
      if (sink.isTTY === true) {
        sink.write(CLEAR_LINE + text.slice(0, (sink.columns || 80) - 1));
        shown = true;
        return;
      }
      const first = facts.runsPerSecond < SLOW_PER_SECOND ? FIRST_LINE_RUNS.slow : FIRST_LINE_RUNS.quick;
      if (facts.runs < Math.max(next, first) && phases.has(facts.phase)) return;
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

/** `search · 1200 runs · 812/s · 2 findings · 41 s left`, and at the end of the budget what is still to be done. */
export function progressText(facts: ProgressFacts): string {
  const { phase, runs, runsPerSecond, findings, remainingMs, undisturbed = 0 } = facts;
  return [
    PHASES[phase] ?? phase,
    ...(undisturbed === 0 ? [] : [`run ${undisturbed}`]),
    // Before the first run is over there is nothing to count.
    ...(runs === 0 ? [] : [countText(runs, 'run'), rateText(runsPerSecond), countText(findings, 'finding')]),
    ...(remainingMs === undefined ? [] : [timeText(phase, Math.ceil(remainingMs / 1000))]),
  ].join(' · ');
}

function timeText(phase: string, seconds: number): string {
  if (seconds > 0) return `${seconds} s left`;
  const what = AFTERWARDS[phase];
  return what === undefined ? 'time is up' : `time is up: ${what}`;
}
