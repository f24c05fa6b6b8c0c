/**
 * The errors that the harness throws.
 *
 * Expected outcomes (409, 410, a violated property) are values, not errors. A mistake of the user or a broken environment is a {@link
 * HarnessError} with a stable code; an impossible state is an {@link InvariantError}, which is always a bug of the harness.
 */

import { ApiServerError } from 'stalemate-apiserver/objects/errors';

/** Process exit codes of every command. */
export const EXIT = { holds: 0, violated: 1, usage: 2, inconclusive: 3, fault: 4, refused: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Stable error codes, each with an exit code. */
export type HarnessErrorCode =
  | 'USAGE' // wrong flags or arguments
  | 'CONFIG_INVALID' // stalemate.config.ts or a YAML file that it names
  | 'MANIFEST_INVALID' // malformed YAML, CRD without schema, sample of an unknown kind
  | 'TARGET_INVALID' // no such module, no default export
  | 'FORMAT_INVALID' // a stored file that is truncated or not in the format that it claims
  | 'FORMAT_TOO_NEW' // a stored file that a newer version wrote
  | 'TARGET_MISMATCH' // a counterexample for another target
  | 'TARGET_FAILED' // throws on start, never lists, exits, blocks the event loop
  | 'TARGET_UNCONTROLLED' // uses real timers or real I/O that the deterministic mode cannot steer
  | 'NONDETERMINISM' // the same workload and schedule gave two histories
  | 'INTERRUPTED' // stopped before there was anything to report
  | 'OUTPUT_FAILED' // a report could not be written
  | 'CLUSTER_UNAVAILABLE' // no control plane binaries, or they do not start
  | 'REFUSED'; // refused by the safety guard

const EXIT_BY_CODE: { readonly [code in HarnessErrorCode]: ExitCode } = {
  USAGE: EXIT.usage,
  CONFIG_INVALID: EXIT.usage,
  MANIFEST_INVALID: EXIT.usage,
  TARGET_INVALID: EXIT.usage,
  FORMAT_INVALID: EXIT.usage,
  FORMAT_TOO_NEW: EXIT.usage,
  TARGET_MISMATCH: EXIT.usage,
  TARGET_FAILED: EXIT.inconclusive,
  TARGET_UNCONTROLLED: EXIT.inconclusive,
  NONDETERMINISM: EXIT.inconclusive,
  INTERRUPTED: EXIT.inconclusive,
  OUTPUT_FAILED: EXIT.inconclusive,
  CLUSTER_UNAVAILABLE: EXIT.inconclusive,
  REFUSED: EXIT.refused,
};

/** A mistake of the user or a fault of the environment. `message` says what was received, what was expected and what to do. */
export class HarnessError extends Error {
  readonly code: HarnessErrorCode;
  readonly exitCode: ExitCode;
  readonly details: { readonly [key: string]: unknown };

  constructor(
    code: HarnessErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly details?: { readonly [key: string]: unknown } } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HarnessError';
    this.code = code;
    this.exitCode = EXIT_BY_CODE[code];
    this.details = options.details ?? {};
  }
}

/**
 * Calls into the API server's package and converts its errors to ours.
 *
 * @throws {HarnessError} with the same code if `work` throws an `ApiServerError`.
 */
export function withOwnErrors<T>(work: () => T): T {
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(throwOwn) as T) : result;
  } catch (error) {
    throwOwn(error);
  }
}

function throwOwn(error: unknown): never {
  throw error instanceof ApiServerError ? new HarnessError(error.code, error.message, { cause: error.cause }) : error;
}

/** A broken assumption inside the harness: exit code 4, and a bug to report. */
export class InvariantError extends Error {
  constructor(sentence: string) {
    super(`harness invariant broken: ${sentence}`);
    this.name = 'InvariantError';
  }
}

/** Throws an {@link InvariantError} unless `condition` holds. `sentence` names the invariant. */
export function invariant(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new InvariantError(sentence);
}

/** Throws an {@link InvariantError}, for the default case of an exhaustive `switch`. */
export function assertNever(value: never): never {
  throw new InvariantError(`unexpected value ${JSON.stringify(value)}`);
}
