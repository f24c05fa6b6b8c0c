/**
 * Requests on resources with a conversion webhook.
 *
 * Owns: suspending a request whose conversion is missing, and converting for all watches before a commit, because a request cannot be
 * suspended after it. Start at {@link interruptible}.
 */
import type { KubeObject } from '../../objects/object.ts';
import type { ApiResponse } from '../../wire/http.ts';
import { targetOf } from '../admission/admission.ts';
import type { Attempt } from '../admission/attempt.ts';
import { Suspended, type CallOut } from '../admission/call-out.ts';
import type { ResourceDefinition, ServedVersion } from '../definition.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
import { rawError } from '../refusal.ts';
import type { Watchers } from '../watchers.ts';
import { CONVERSION_TIMEOUT_SECONDS, ConversionFailed, ConversionNeeded } from './converter.ts';

/** Runs a part of a request. For a missing conversion the result is a `Suspended`, for a failed one a refusal. */
export function interruptible(kernel: Kernel, attempt: Attempt, run: () => ApiResponse): ApiResponse {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConversionFailed) return rawError(error.message);
    if (!(error instanceof ConversionNeeded)) throw error;
    const uid = attempt.questionUid(error.key);
    const callOut: CallOut = {
      ...targetOf(kernel, error.clientConfig),
      timeoutSeconds: CONVERSION_TIMEOUT_SECONDS,
      body: error.review(uid),
    };
    const url = `${callOut.url}?timeout=${callOut.timeoutSeconds}s`;
    return new Suspended([{ key: error.key, callOut, accept: (answer) => error.accept(url, uid, answer) }]);
  }
}

/**
 * Returns `commit` and `remove`, which first ensure that the conversions to all watched versions are known. `shown`: the version of the
 * answer.
 */
export function preparing(kernel: Kernel, watchers: Watchers, shown: ServedVersion): Pick<Kernel, 'commit' | 'remove'> {
  const prepare = (definition: ResourceDefinition, objects: readonly KubeObject[]): void => {
    shown.prepare?.(objects);
    for (const version of watchers.versionsOf(definition.gr)) {
      if (version === shown) continue;
      try {
        version.prepare?.(objects);
      } catch (error) {
        // The watch ends; the write still succeeds.
        if (!(error instanceof ConversionFailed)) throw error;
      }
    }
  };
  return {
    commit: (definition, object, before, by) => {
      if (shown.prepare !== undefined) prepare(definition, before === undefined ? [object] : [object, before]);
      return kernel.commit(definition, object, before, by);
    },
    remove: (definition, before) => {
      if (shown.prepare !== undefined) prepare(definition, [before]);
      return kernel.remove(definition, before);
    },
  };
}

/** Ensures that the conversions of a watch's initial events are known. */
export function prepareWatch(kernel: Kernel, call: Call): void {
  const { definition, version, namespace } = call.route;
  const { store } = kernel;
  const from = Number(call.request.query['resourceVersion'] ?? '');
  const missed =
    Number.isInteger(from) && from >= store.floor && from > 0
      ? store.changesAfter(from).filter((change) => change.resource === definition.gr)
      : [];
  const objects = missed.flatMap(({ object, before }) => (before === undefined ? [object] : [object, before]));
  version.prepare?.([...store.list(definition.gr, namespace), ...objects]);
}
