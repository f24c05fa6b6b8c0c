/**
 * Runs one sequence on both servers and compares it step by step.
 *
 * Owns: the definition of a difference, and its stable key, by which each cause is counted once. Does not own: generating, shrinking,
 * reporting. Start at {@link runSequence}.
 */
import { isMap } from '../../objects/json.ts';
import type { JsonValue } from '../../objects/object.ts';
import type { Difference } from './difference.ts';
import { differences, plain, type DifferenceAt } from './compare.ts';
import type { ComparedKind } from './kinds.ts';
import { isKnown } from './known.ts';
import type { Operation, Sequence } from './operation.ts';
import { subresourceOf } from './request-parts.ts';
import type { Side } from './servers.ts';
import { World, type Outcome } from './world.ts';

export interface SequenceResult {
  /** The unexplained differences. */
  readonly differences: readonly Difference[];
  readonly known: readonly Difference[];
  /** A readable transcript of requests and answers. */
  readonly script: readonly string[];
  /** `verb · family · patch · subresource · outcome` of every step. */
  readonly covered: readonly string[];
  readonly steps: number;
}

let count = 0;

/** Runs a sequence in fresh namespaces. */
export async function runSequence(sequence: Sequence, ours: Side, real: Side): Promise<SequenceResult> {
  const id = `s${String(++count).padStart(6, '0')}`;
  const a = new World(ours.client, id, sequence.kinds);
  const b = new World(real.client, id, sequence.kinds);
  const found: Difference[] = [];
  const known: Difference[] = [];
  const script: string[] = [];
  const covered: string[] = [];
  const note = (
    places: readonly DifferenceAt[],
    describe: (place: DifferenceAt) => Omit<Difference, keyof DifferenceAt>,
  ): boolean => {
    const noted = places.map((place) => ({ ...place, ...describe(place) }));
    for (const difference of noted) (isKnown(difference) ? known : found).push(difference);
    return noted.some((difference) => !isKnown(difference));
  };
  try {
    await Promise.all([a.open(), b.open()]);
    for (const [index, operation] of sequence.operations.entries()) {
      const kind = a.kindOf(operation);
      const ask = b.ask(operation);
      const [mine, theirs] = await Promise.all([a.step(operation), b.step(operation)]);
      const what = classOf(operation, kind);
      const answers = { ours: answerOf(mine), real: answerOf(theirs) };
      covered.push(`${what} · ${answers.real}`);
      script.push(
        `${index + 1}. ${ask.method} ${ask.path} (client ${operation.client}${operation.verb === 'patch' ? `, ${operation.patch}` : ''})` +
          `${ask.body === undefined ? '' : `\n     ${JSON.stringify(ask.body)}`}\n     real: ${answers.real}${answers.ours === answers.real ? '' : `  OURS: ${answers.ours}`}`,
      );
      // All differences after the first one are consequences of it.
      const places =
        answers.ours === answers.real
          ? differences(mine, theirs)
          : [{ path: 'answer', ours: describeAnswer(mine), real: describeAnswer(theirs) }];
      const diverged = note(places, ({ path }) => ({
        key: path === 'answer' ? `${what} · ${answers.ours} for ${answers.real}` : `${what} · ${path}`,
        kind: kind.id,
        operation,
        steps: index + 1,
        answers,
      }));
      if (diverged && answers.ours !== answers.real)
        return { differences: found, known, script, covered, steps: index + 1 };
    }
    // All differences after the first one are consequences of it.
    if (found.length > 0) return { differences: found, known, script, covered, steps: sequence.operations.length };
    const [mine, theirs] = [await a.watched(), await b.watched()];
    for (const [index, { kind, operation }] of b.watches.entries()) {
      const [ourEvents, realEvents] = [mine[index], theirs[index]];
      note(differences(summary(ourEvents), summary(realEvents)), ({ path }) => ({
        key: `events · ${kind.family} · ${path}`,
        kind: kind.id,
        operation,
        steps: sequence.operations.length,
        answers: { ours: eventsOf(ourEvents), real: eventsOf(realEvents) },
      }));
    }
    const [ourState, realState] = await Promise.all([a.finalState(), b.finalState()]);
    note(differences(ourState, realState), ({ path }) => ({
      key: `final state · ${path.replace(/\s\d/, '')}`,
      kind: sequence.kinds.join(','),
      operation: undefined,
      steps: sequence.operations.length,
      answers: { ours: '', real: '' },
    }));
    return { differences: found, known, script, covered, steps: sequence.operations.length };
  } finally {
    a.close();
    b.close();
  }
}

/** Compares types and names first: a missing event is then reported as one missing event, not as a hundred differing fields. */
function summary(outcome: Outcome | undefined): JsonValue {
  if (outcome === undefined) return null;
  const lines = eventsOf(outcome).split(', ');
  return { sequence: lines.join('\n'), ...outcome };
}

function eventsOf(outcome: Outcome | undefined): string {
  const events = (outcome?.['events'] ?? []) as readonly { readonly type: string; readonly object: JsonValue }[];
  return events
    .map(({ type, object }) => {
      const metadata = isMap(object) && isMap(object['metadata']) ? object['metadata'] : {};
      // Bookmarks carry the version of a collection and are compared separately.
      const version = type === 'BOOKMARK' ? '' : `@${plain(metadata['resourceVersion'] ?? '')}`;
      return `${type} ${plain(metadata['name'] ?? '')}${version}`;
    })
    .join(', ');
}

function classOf(operation: Operation, kind: ComparedKind): string {
  const { verb, patch } = operation;
  const { family } = kind;
  const subresource = subresourceOf(kind, operation);
  return [verb, family, ...(verb === 'patch' ? [patch] : []), ...(subresource === '' ? [] : [subresource])].join(' · ');
}

function answerOf(outcome: Outcome): string {
  const { body, code } = outcome;
  const reason = isMap(body) && body['kind'] === 'Status' ? ` ${plain(body['reason'] ?? '')}` : '';
  return `${plain(code)}${reason}`;
}

function describeAnswer(outcome: Outcome): JsonValue {
  const { body } = outcome;
  return isMap(body) && body['kind'] === 'Status' ? (body['message'] ?? null) : (body ?? null);
}
