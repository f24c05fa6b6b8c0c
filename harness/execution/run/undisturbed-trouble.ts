/** Finds errors and warnings about an undisturbed target: one that cannot be tested at all, or that fails in every run. */
import { isUnansweredWebhook } from 'stalemate-apiserver/wire/unanswered-webhook';
import { parentOf, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { UncontrolledUse } from '../../determinism/uncontrolled.ts';
import { programOf, roleOf, TARGET, type ActorId } from '../../model/actor.ts';
import { HarnessError } from '../../model/errors.ts';
import { isWrite } from '../../model/history.ts';
import type { History } from '../../model/history.ts';
import { endMs, isRestless, restStart } from '../../oracle/rest.ts';
import { OUTSIDE } from '../../model/outside.ts';
import { errorWithPrinted, lastLinesOf } from '../../report/last-words.ts';
import { readLogLine } from '../../report/log-line.ts';
import { cut } from '../../report/text-wrap.ts';
import { exitHint, portHint, silenceHint, whoText } from './process-trouble.ts';
import type { Containment } from './host.ts';
import { silentText } from './silent-start.ts';

/** Reports whether the target's main program has sent no request. */
export function isSilent(history: History): boolean {
  return !history.operations.some(({ actor, verb }) => programOf(actor) === TARGET && !isWrite(verb));
}

/**
 * Throws if the target did nothing: it cannot be tested, and silence would look like success.
 *
 * @param uses The real I/O found in a watched run of a module.
 */
export function checkAlive(history: History, containment?: Containment, uses: readonly UncontrolledUse[] = []): void {
  checkSample(history, containment?.unanswered);
  const failed = history.processes.find((event) => event.kind === 'start-failed' || event.kind === 'unhandled');
  if (failed !== undefined && containment !== undefined) {
    throw targetFailed(history, `${whoText(failed.actor)} could not be started: ${failed.detail}`);
  }
  if (failed !== undefined && history.settlement.result === 'never-started') {
    throw targetFailed(history, `the target failed to start: ${failed.detail}`);
  }
  if (failed?.kind === 'start-failed') {
    throw targetFailed(history, `the target's start() failed: ${failed.detail}; run it alone against a cluster first`);
  }
  const exited = history.processes.find((event) => event.kind === 'exited');
  if (containment !== undefined) checkStarted(history);
  const asked = !isSilent(history);
  if (exited !== undefined && !asked) {
    throw targetFailed(
      history,
      `${whoText(exited.actor)} exited while starting (${exited.detail}); expected it to stay up and watch${exitHint(exited.detail)}${portHint(history)}`,
    );
  }
  if (!asked && containment !== undefined) {
    throw targetFailed(
      history,
      `the target sent no request in an undisturbed run; expected it to list or watch something through the kubeconfig it was given: ${silenceHint(containment)}${portHint(history)}`,
    );
  }
  if (!asked) throw targetFailed(history, silentText(history, uses));
}

/** Returns an error with the target's last output, which may contain the reason. */
function targetFailed(history: History, message: string): HarnessError {
  return errorWithPrinted('TARGET_FAILED', message, lastLinesOf(history));
}

/** A program that ends this many times in an undisturbed run counts as not staying up. */
const LIVES_MAX = 3;

/**
 * Reports whether each program of the target was running at the end of an undisturbed run. A manager that has created its certificate may
 * exit once, so that its next incarnation finds the certificate mounted.
 */
export function isUp({ processes }: History): boolean {
  const programs = Map.groupBy(
    processes.filter(({ kind }) => kind !== 'unhandled'),
    ({ actor }) => programOf(actor),
  );
  return [...programs.values()].every((events) => {
    const ends = events.filter(({ kind }) => kind === 'exited' || kind === 'start-failed');
    return ends.length < LIVES_MAX && ends.at(-1) !== events.at(-1);
  });
}

/** Reports whether a program has sent no request in any of its incarnations. `actor` is one of them. */
function isMute({ operations }: History, actor: ActorId): boolean {
  return !operations.some((operation) => programOf(operation.actor) === programOf(actor));
}

/** Throws if a program is never ready, or keeps exiting, while undisturbed. */
function checkStarted(history: History): void {
  const { settlement, processes } = history;
  const last = processes.findLast(({ kind }) => kind === 'exited');
  const exits = processes.filter(
    ({ kind, actor }) => kind === 'exited' && programOf(actor) === programOf(last?.actor ?? ''),
  );
  if (last !== undefined && exits.length >= LIVES_MAX && !isMute(history, last.actor)) {
    throw targetFailed(
      history,
      `${whoText(last.actor)} ended ${exits.length} times in an undisturbed run (${last.detail}); expected it to stay up${exitHint(last.detail)}${portHint(history)}`,
    );
  }
  if (settlement.result === 'cut-short')
    throw errorWithPrinted(
      'CLUSTER_UNAVAILABLE',
      `an undisturbed run was cut short: ${settlement.detail}`,
      lastLinesOf(history),
    );
  if (settlement.result !== 'never-started') return;
  throw targetFailed(
    history,
    `the target never became ready: ${settlement.detail}; check --ready, or give it longer with --ready-within${portHint(history)}`,
  );
}

/** Throws if the API server rejected the sample: the target would have nothing to do, and silence would look like success. */
function checkSample(history: History, unanswered: string | undefined): void {
  const made = new Set<string>();
  // Only the last attempt counts: a request that a webhook did not answer is sent again.
  for (const { actor, verb, outcome, resource, name, body } of history.operations.toReversed()) {
    if (actor !== 'user' || verb !== 'create') continue;
    const own = (body as KubeObject | undefined)?.metadata.name ?? name;
    if (outcome.type === 'ok') made.add(`${resource}/${own}`);
    if (outcome.type !== 'fail' || made.has(`${resource}/${own}`)) continue;
    const refused = `the API server refused the sample ${resource}/${own} with ${outcome.code}: ${outcome.message}`;
    if (!isUnansweredWebhook(outcome.code, outcome.message))
      throw new HarnessError('MANIFEST_INVALID', `${refused}; expected an object that it accepts`);
    throw targetFailed(
      history,
      `${refused}; ${whyUnanswered(history, outcome.message, unanswered)}${portHint(history)}`,
    );
  }
}

/** Returns why a webhook of the target did not answer. */
function whyUnanswered({ processes }: History, message: string, unanswered: string | undefined): string {
  const ends = processes.filter(({ kind }) => kind === 'exited');
  if (ends.length > 0) return `the target had ended (${ends.at(-1)?.detail ?? ''})`;
  if (unanswered !== undefined) return unanswered;
  return /x509|certificate/.test(message)
    ? 'the server does not trust the certificate of its webhook: a target that writes its own caBundle can only be called on the embedded server'
    : 'the target did not answer';
}

/** Returns problems to report that do not end the campaign. */
export function undisturbedWarnings(history: History): readonly string[] {
  return [...undisturbedTroubles(history), ...repeatedErrors(history), ...ownerless(history)];
}

/** The number of times that an error must be in the log of an undisturbed run to be reported. */
const ERRORS_MIN = 5;
/** Matches errors of conflicts, which work queues retry. */
const CONFLICT = /the object has been modified|Conflict\b/;

/**
 * Returns a warning about the error that the target logs most often in an undisturbed run and still logs at rest: what does not work
 * without contention is not tested. An error that is not logged at rest any more belongs to the start.
 */
export function repeatedErrors(history: Pick<History, 'logs' | 'phases' | 'revisions'>): readonly string[] {
  // Errors of a start may still be retried when rest begins.
  const fromMs = (restStart(history).timeMs + endMs(history)) / 2;
  const counts = new Map<string, { count: number; text: string; timeMs: number }>();
  for (const { line, timeMs } of history.logs ?? []) {
    const { level, message, error } = readLogLine(line);
    if (level !== 'error' || CONFLICT.test(line)) continue;
    const text = error === '' ? message : `${message}: ${error}`;
    // Numbers, ports and ids differ each time.
    const key = text.replaceAll(/[\da-f-]*\d[\da-f-]*/g, '#');
    const before = counts.get(key);
    counts.set(key, { text: before?.text ?? text, count: (before?.count ?? 0) + 1, timeMs });
  }
  const [most] = [...counts.values()].filter(({ timeMs }) => timeMs >= fromMs).toSorted((a, b) => b.count - a.count);
  if (most === undefined || most.count < ERRORS_MIN) return [];
  return [
    `undisturbed, the target keeps logging the same error (${cut(most.text, ERROR_MAX)}): what does not work in a quiet cluster is not put to the test`,
  ];
}

/** The longest error that is printed in full. */
const ERROR_MAX = 300;

/** The number of times that a request must be rejected in an undisturbed run to be reported. */
const REFUSALS_MIN = 2;

/** Returns problems that occur without contention: differential properties cannot see what fails in every run. */
function undisturbedTroubles(history: History): readonly string[] {
  const refused = new Map<string, { count: number; message: string }>();
  for (const { actor, verb, resource, name, outcome } of history.operations) {
    if (roleOf(actor) !== 'target' || outcome.type !== 'fail' || !isWrite(verb)) continue;
    if (outcome.code === 404 || outcome.code === 409) continue;
    const key = `${verb} of ${resource}/${name}`;
    const message = `${outcome.code} ${outcome.message}`;
    refused.set(key, { message, count: (refused.get(key)?.count ?? 0) + 1 });
  }
  const warnings = [...refused]
    .filter(([, { count }]) => count >= REFUSALS_MIN)
    .map(
      ([key, { count, message }]) =>
        `undisturbed, the target's ${key} was refused ${count} times (${message}): what fails in every run is not found by contention`,
    );
  if (!isRestless(history)) return warnings;
  return [...warnings, 'undisturbed, the target never comes to rest: convergence cannot be judged'];
}

/** Returns warnings about objects with generated names and no owner: surplus objects of that kind cannot be recognised. */
function ownerless({ revisions, names }: History): readonly string[] {
  const kinds = new Set<string>();
  for (const { actor, type, resource, uid, object } of revisions) {
    const drawn = names[uid]?.includes('~') === true;
    if (type !== 'ADDED' || roleOf(actor) !== 'target' || !drawn || /^events(\.|$)/.test(resource)) continue;
    if (resource === OUTSIDE) continue;
    if (parentOf(object) === undefined) kinds.add(resource);
  }
  return [...kinds].map(
    (resource) =>
      `the target creates ${resource} under generated names without an ownerReference of a controller or of one owner only: cardinality cannot determine their owner and does not judge them`,
  );
}
