/**
 * All possible causes: their parts, the key built from them, the text for people, and the traits of each kind.
 *
 * Owns: the key format. Keys are stored (counterexamples, corpora, soaks), so a kind and the order of its parts never change. Does not own:
 * which cause a violation has (`cause.ts`).
 */
import { BETWEEN, kindOf, type Cause } from '../model/cause.ts';

/** How a write is wrong. */
export type Effect = 'stale' | 'drops' | 'claims';

/** The parts of a cause; parts that are not in its key only appear in its text. */
export type CauseParts =
  | {
      readonly kind: 'write';
      /** `PUT without a version` */
      readonly shape: string;
      readonly of: string;
      readonly effect: Effect;
      readonly patch: boolean;
      readonly versioned: boolean;
    }
  | { readonly kind: 'create' | 'delete'; readonly resource: string }
  | { readonly kind: 'loop' | 'retries'; readonly request: string }
  | { readonly kind: 'watch'; readonly how: 'expired' | 'ended' }
  | { readonly kind: 'given up'; readonly verb: string; readonly of: string; readonly after: Failure }
  | { readonly kind: 'given up'; readonly cleanUpOf: string }
  | { readonly kind: 'children'; readonly resource: string; readonly seen: 'as it was made' | 'in the end' }
  | {
      readonly kind: 'missed' | 'restart' | 'never finished' | 'work given up' | 'released early';
      readonly resource: string;
    }
  | { readonly kind: 'outside'; readonly effect: string }
  | { readonly kind: 'process ends'; readonly how: string }
  | { readonly kind: 'two leaders' | 'data race' | 'blocked event loop' | 'deletes repeated' };

export type CauseKind = CauseParts['kind'];

/** Formats the key and text of a cause. No other code builds keys. */
export function causeOf(parts: CauseParts): Cause {
  return { key: [parts.kind, ...keyParts(parts)].join(BETWEEN), text: textOf(parts) };
}

function keyParts(parts: CauseParts): readonly string[] {
  switch (parts.kind) {
    case 'write':
      return [parts.shape, parts.of, parts.effect];
    case 'create':
      return [parts.resource, 'for the gone'];
    case 'loop':
    case 'retries':
      return [parts.request];
    case 'watch':
    case 'process ends':
      return [parts.how];
    case 'given up':
      return 'cleanUpOf' in parts ? [`clean-up of ${parts.cleanUpOf}`] : [`${parts.verb} ${parts.of}`, parts.after];
    case 'outside':
      return [parts.effect];
    case 'delete':
    case 'children':
    case 'missed':
    case 'restart':
    case 'never finished':
    case 'work given up':
    case 'released early':
      return [parts.resource];
    case 'two leaders':
    case 'data race':
    case 'blocked event loop':
    case 'deletes repeated':
      return [];
  }
}

function textOf(parts: CauseParts): string {
  switch (parts.kind) {
    case 'write':
      return `${parts.shape} of ${parts.of}, ${contentText(parts)}`;
    case 'create':
      return `a create of ${parts.resource} for an owner that is gone`;
    case 'delete':
      return `a delete of ${parts.resource} by name alone`;
    case 'loop':
      return `hot loop: ${parts.request}`;
    case 'retries': {
      const [verb = '', ...rest] = parts.request.split(' ');
      return `how it repeats a failed ${verb} of ${rest.join(' ')}`;
    }
    case 'watch':
      return `a watch that is not opened again once it has ${parts.how}`;
    case 'given up':
      return 'cleanUpOf' in parts
        ? `clean-up of ${parts.cleanUpOf} gives up after a failed request`
        : `${parts.verb} of ${parts.of} did not succeed after ${parts.after}`;
    case 'children':
      return parts.seen === 'in the end'
        ? `wrong number of ${parts.resource} created or deleted`
        : `a create of ${parts.resource} beyond what was asked for`;
    case 'missed':
      return `wrong final state of ${parts.resource}`;
    case 'restart':
      return `what it does with ${parts.resource} after a restart`;
    case 'never finished':
      return `${parts.resource} never finishes deleting`;
    case 'work given up':
      return `work on ${parts.resource} is not taken up again after a failed request`;
    case 'released early':
      return `clean-up of ${parts.resource} ends before everything is removed`;
    case 'outside':
      return `inconsistent external state: ${parts.effect}`;
    case 'process ends':
      return 'an error that ends the process';
    case 'two leaders':
      return 'two replicas active at the same time';
    case 'data race':
      return 'a data race';
    case 'blocked event loop':
      return 'work that blocks the event loop';
    case 'deletes repeated':
      return 'how it repeats a failed delete';
  }
}

function contentText({ effect, patch, versioned }: Extract<CauseParts, { kind: 'write' }>): string {
  switch (effect) {
    case 'stale':
      if (patch) return 'without checking for changes since the read';
      return versioned
        ? 'with older content under a newer version'
        : 'with content of an earlier read, which nothing checks';
    case 'drops':
      return 'drops fields of other writers that it had read';
    case 'claims':
      return 'reports an observedGeneration that it has not acted on';
  }
}

/** Kinds for an outcome that nothing in the run explains. */
const GUESSES: ReadonlySet<string> = new Set<CauseKind>(['missed', 'restart', 'children', 'never finished']);
/**
 * For a kind of cause, the kind that is only another name for it: it names the code with the bug, whichever request shows the bug. The code
 * that reconciles an object also decides how many children it creates on the way; the code that handles an object also decides how to
 * continue after a failed request.
 */
const NAME_OF_ALL: { readonly [kind: string]: CauseKind } = {
  missed: 'children',
  'given up': 'work given up',
  retries: 'deletes repeated',
} satisfies { readonly [kind in CauseKind]?: CauseKind };

/** Reports whether a cause is of this kind. */
export function isKind(cause: Pick<Cause, 'key'>, kind: CauseKind): boolean {
  return kindOf(cause) === kind;
}

/** Reports whether `other`, a candidate for the same violation, is only another name of `cause`. */
export function isNameOf(other: Pick<Cause, 'key'>, cause: Pick<Cause, 'key'>): boolean {
  return kindOf(other) === NAME_OF_ALL[kindOf(cause)];
}

/** The ways in which a request can have failed before it was given up. */
const FAILURES = ['a conflict', 'an error', 'a lost answer'] as const;
export type Failure = (typeof FAILURES)[number];

/** Returns the keys of the same request given up after other failures: the code that drops one error usually drops all. */
export function afterOtherFailures({ key }: Pick<Cause, 'key'>): readonly string[] {
  const [kind, request, after, ...more] = key.split(BETWEEN);
  if (kind !== 'given up' || after === undefined || more.length > 0) return [];
  return FAILURES.flatMap((other) => (other === after ? [] : [[kind, request, other].join(BETWEEN)]));
}

/** Reports whether the cause is a fallback for an outcome that nothing in the run explains. */
export function isGuess(cause: Pick<Cause, 'key'>): boolean {
  return GUESSES.has(kindOf(cause));
}
