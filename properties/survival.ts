/**
 * P7, survival: the target does not crash except by design, leaves no rejection unhandled, and runs again after every exit.
 *
 * Exits by design (a lost lease, caches that cannot sync) are followed by a restart, as by a kubelet: a violation is an error
 * that a runtime reports as a bug, or a target that does not stay up undisturbed. A panic in which a program gives up at its start, because
 * one of its requests was made to fail, is such an exit. Crashes that the schedule contains are caused
 * by the harness, and are not judged.
 */
import { roleOf } from '../harness/model/actor.ts';
import type { CheckResult, Violation } from '../harness/model/check-result.ts';
import { HOLDS } from '../harness/model/check-result.ts';
import type { History, Operation, ProcessEvent } from '../harness/model/history.ts';
import { LACKS_POD } from '../harness/model/lacks-pod.ts';
import { failureText, phaseStart } from '../harness/model/history.ts';
import { distinct } from '../harness/oracle/compose.ts';
import type { Property } from '../harness/oracle/property.ts';
import { isObserved } from './exercised.ts';

const NAME = 'survival';
/** The number of exits in one run at which a kubelet would report CrashLoopBackOff; a target that exits once per fault stays below it. */
const EXITS_MAX = 4;

/** Output of runtimes that indicates a bug in the program, whatever it does afterwards. */
const LOG_SIGNATURES: readonly { readonly class: string; readonly pattern: RegExp }[] = [
  { class: 'data-race', pattern: /^WARNING: DATA RACE|^fatal error: concurrent map/ },
  {
    class: 'panic',
    pattern:
      /^panic: |^fatal error: |Observed a panic|thread '.*'(?: \(\d+\))? panicked at|^# A fatal error has been detected by the Java/,
  },
];

/** A panic that a program may use to give up; an error of the runtime of Go is always a bug. */
const GIVES_UP =
  /^panic: (?!runtime error|interface conversion|assignment to entry in nil map|send on closed|close of (?:closed|nil))|panicked at/;

/** The last line of a Node program after an uncaught error, which is printed above it. */
const NODE_ENDED = /^Node\.js v\d/;
const ERROR_LINE = /^(?:Uncaught )?(?:\w+(?:Error|Exception)|Error)\b/;
const LINES_ABOVE = 60;

type LogLine = NonNullable<History['logs']>[number];

export const survival: Property = {
  name: NAME,
  id: 'P7',
  kind: 'safety',
  about: 'the target does not crash, leaves no rejection unhandled, and is up once faults have ended',
  check,
  exercised: isObserved,
};

function check(history: History): CheckResult {
  const { processes, logs = [] } = history;
  const violations: Violation[] = [];
  let exits: ProcessEvent[] | undefined;
  let lastOf: Map<string, ProcessEvent> | undefined;
  for (const event of processes) {
    if (roleOf(event.actor) !== 'target') continue;
    // Rejections in an incarnation that was cut off are caused by the harness.
    if (event.kind === 'unhandled' && !isOver(lastOf?.get(event.actor))) {
      violations.push(unhandled(history, event));
    }
    if (event.kind === 'exited' || event.kind === 'start-failed') (exits ??= []).push(event);
    if (event.kind !== 'unhandled') (lastOf ??= new Map()).set(event.actor, event);
  }
  if (exits !== undefined) {
    const judged = judgeExits(history, exits, lastOf ?? new Map());
    if (typeof judged === 'string') {
      if (violations.length === 0) return { result: 'inconclusive', reason: judged };
    } else violations.push(...judged);
  }
  for (const [at, line] of logs.entries()) {
    if (NODE_ENDED.test(line.line) && roleOf(line.actor) === 'target' && isRunningNormally(history, line)) {
      violations.push(unhandled(history, { ...line, detail: errorAbove(logs, at) }));
    }
    const found = LOG_SIGNATURES.find(({ pattern }) => pattern.test(line.line));
    if (found === undefined || roleOf(line.actor) !== 'target') continue;
    if (GIVES_UP.test(line.line) && isStarting(history, line) && hasFailed(history, line)) continue;
    // It is started again, as in a pod.
    if (LACKS_POD.test(line.line) && isStarting(history, line)) continue;
    const panic = violation(found.class, line, printedText(line.line));
    violations.push(isCaughtOnPurpose(history, line) ? caught(panic) : panic);
  }
  return violations.length === 0 ? HOLDS : { result: 'violated', violations: distinct(violations) };
}

/** Match the message of a panic, which follows the word "panic" or is a field of a structured log line. */
const PANIC_TEXT: readonly RegExp[] = [
  /^panic: (.+)$/,
  /Observed a panic.*?\bpanic="((?:[^"\\]|\\.)+)"/,
  /Observed a panic.*?"panic":\s*"((?:[^"\\]|\\.)+)"/,
];
const PRINTED_MAX = 200;

/** Matches what the runtime of Go says in panics of its own, which are bugs. */
const RUNTIME_ERROR =
  /runtime error|invalid memory address|interface conversion|interface \{|nil map|on closed|close of|index out of range|^(?:reflect|sync|strings|bytes|regexp|time): /;

/**
 * Reports whether a line is about a panic that the program has raised with a message of its own because a request was made to fail, and
 * that its library has caught: the reconcile is tried again, as after an error.
 */
function isCaughtOnPurpose(history: History, printed: LogLine): boolean {
  const { actor, at, line } = printed;
  if (!line.includes('Observed a panic')) return false;
  const text = panicText(line);
  const isOut = history.processes.some((one) => one.actor === actor && one.kind === 'exited' && one.at >= at);
  return text !== undefined && !RUNTIME_ERROR.test(text) && !isOut && hasJustFailed(history, printed);
}

/** Reports whether the last request that was answered before a line was made to fail. */
function hasJustFailed({ operations }: History, { actor, at }: LogLine): boolean {
  const last = operations
    .filter((one) => one.actor === actor && one.answered !== undefined && one.answered.at < at && one.verb !== 'watch')
    .toSorted((a, b) => (a.answered?.at ?? 0) - (b.answered?.at ?? 0))
    .at(-1);
  return last?.fault !== undefined && last.outcome.type !== 'ok';
}

function caught(panic: Violation): Violation {
  const { signature, sentence } = panic;
  return {
    ...panic,
    signature: { ...signature, class: 'caught-panic' },
    sentence: `${sentence}; it is caught, and the reconcile is tried again`,
    severity: 'warning',
  };
}

function panicText(line: string): string | undefined {
  return PANIC_TEXT.map((pattern) => pattern.exec(line)?.[1]).find((one) => one !== undefined);
}

function printedText(line: string): string {
  const text = panicText(line);
  if (text === undefined) return `printed "${line.slice(0, PRINTED_MAX)}"`;
  return `panicked: ${text.replaceAll('\\"', '"').slice(0, PRINTED_MAX)}`;
}

/**
 * Builds the violation of an unhandled error. It names the last request that failed before, if there is one, because most errors come from
 * a request.
 */
function unhandled(history: History, event: Pick<ProcessEvent, 'actor' | 'at' | 'detail'>): Violation {
  const failed = history.operations.filter(
    ({ actor, answered, outcome }) =>
      actor === event.actor &&
      (outcome.type === 'fail' || outcome.type === 'info') &&
      answered !== undefined &&
      answered.at < event.at,
  );
  const last = failed.findLast(({ fault }) => fault !== undefined) ?? failed.at(-1);
  const found = violation('unhandled', event, `left an error unhandled: ${event.detail}`);
  if (last === undefined) return found;
  return { ...found, sentence: `${found.sentence}, after ${requestText(last)}`, operations: [last.id] };
}

/**
 * Reports whether a program was running normally when it printed a line. Before its first watch it is still starting, and may give up on
 * purpose; later output of a killed or stopped incarnation is caused by the harness.
 */
function isRunningNormally(history: History, line: LogLine): boolean {
  const { actor, at } = line;
  return (
    !isStarting(history, line) && !isOver(history.processes.findLast((event) => event.actor === actor && event.at < at))
  );
}

/** Reports whether a program had not opened a watch when it printed a line. */
function isStarting({ operations }: History, { actor, at }: LogLine): boolean {
  return !operations.some(
    (operation) => operation.actor === actor && operation.verb === 'watch' && (operation.answered?.at ?? at) < at,
  );
}

/** Returns the error that Node prints above its last line, as one line. */
function errorAbove(logs: readonly LogLine[], at: number): string {
  const above = logs.slice(Math.max(0, at - LINES_ABOVE), at).filter(({ actor }) => actor === logs[at]?.actor);
  return above.findLast(({ line }) => ERROR_LINE.test(line))?.line.slice(0, 200) ?? 'an error that its output shows';
}

/** Describes a failed request: `its update of buckets.storage.example.com/media/status failed (ConnectionRefused)`. */
function requestText({ verb, resource, name, subresource, outcome }: Operation): string {
  const place = [resource, name, subresource].filter((part) => part !== '').join('/');
  return `its ${verb} of ${place} ${outcome.type === 'fail' ? `failed (${failureText(outcome)})` : 'got no answer'}`;
}

function isOver(last: ProcessEvent | undefined): boolean {
  return last?.kind === 'crashed' || last?.kind === 'stopped';
}

/** Returns violations, or the reason why the result is inconclusive. */
function judgeExits(
  history: History,
  exits: readonly ProcessEvent[],
  lastOf: ReadonlyMap<string, ProcessEvent>,
): readonly Violation[] | string {
  const settle = phaseStart(history, 'settle');
  const alone = exits.find(
    (event) => event.at > settle && !wasFaulted(history, event) && !beganBefore(history, event, settle),
  );
  if (alone !== undefined) {
    return [violation('exits-at-rest', alone, `${ended(alone)} although the disturbance had ended`)];
  }
  if (exits.length > EXITS_MAX) {
    const last = exits.at(-1) as ProcessEvent;
    return [
      violation('exits-again-and-again', last, `ended ${exits.length} times in one run, at last: ${last.detail}`),
    ];
  }
  const failed = exits.find((event) => event.kind === 'start-failed');
  if (failed !== undefined && !wasFaulted(history, failed)) {
    return [violation('start-failed', failed, `failed to start: ${failed.detail}`)];
  }
  if ([...lastOf.values()].some((event) => event.kind === 'started')) return [];
  const last = exits.at(-1) as ProcessEvent;
  const crashedLater = [...lastOf.values()].some((event) => event.kind === 'crashed' && event.at > last.at);
  if (crashedLater) return 'the target was killed more often than stalemate starts it again in one run';
  if (last.kind === 'start-failed')
    return `the target failed to start while its requests were made to fail, and was not started again: ${last.detail}`;
  return [violation('stays-down', last, `${ended(last)} and did not come up again`)];
}

/**
 * Reports whether the harness interfered with the incarnation's requests before the event, in which case it may have given up
 * on purpose.
 */
function wasFaulted(history: History, event: ProcessEvent): boolean {
  return history.operations.some(
    ({ actor, fault, invoked }) => actor === event.actor && fault !== undefined && invoked.at < event.at,
  );
}

/** Reports whether a request of the incarnation was made to fail, or got no answer, before the line. */
function hasFailed({ operations }: History, { actor, at }: LogLine): boolean {
  return operations.some(
    ({ actor: by, fault, outcome, invoked }) =>
      by === actor && fault !== undefined && outcome.type !== 'ok' && invoked.at < at,
  );
}

/**
 * Reports whether an ending incarnation started before the settle phase: it may notice an earlier event only now (a lease that it could not
 * renew in time, a cache that never synced), and end by design. The next incarnation has no such reason.
 */
function beganBefore({ processes }: History, { actor, kind }: ProcessEvent, settle: number): boolean {
  return (
    kind === 'exited' &&
    !processes.some((event) => event.actor === actor && event.kind === 'started' && event.at > settle)
  );
}

function ended({ kind, detail }: ProcessEvent): string {
  return kind === 'exited' ? `exited (${detail})` : `failed to start (${detail})`;
}

function violation(kind: string, event: { readonly actor: string; readonly at: number }, what: string): Violation {
  return {
    signature: { property: NAME, class: kind, actors: ['target'], kind: '', field: '' },
    sentence: `${event.actor} ${what}`,
    operations: [],
    revisions: [],
    at: event.at,
    severity: 'error',
  };
}
