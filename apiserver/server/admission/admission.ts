/**
 * Admission of writes: mutating and validating webhooks, and policies.
 *
 * Owns: the order of calls, reinvocation, patches, failure policies, dry runs. Mirrors k8s.io/apiserver
 * `admission/plugin/webhook/{mutating,validating}/dispatcher.go`. It never waits: when it needs an answer that it does not have yet, it
 * returns a `Suspended`. Start at {@link Admission.mutate} and {@link Admission.validate}.
 */
import { posix } from 'node:path';
import { jsonEqual, isMap, textOf, valueAt } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { goType } from '../definition.ts';
import type { ServerState } from '../server-state.ts';
import type { Call } from '../call.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { Refusal } from '../refusal.ts';
import { rowKey } from '../store.ts';
import { type Redecode, requestOf, reviewOf } from './review.ts';
import type { Attempt } from './attempt.ts';
import { Suspended, type CallOut, type ServiceReference, type Wanted } from './call-out.ts';
import { conditionsMet } from './conditions.ts';
import { inVersion, invocationOf, type Admitting, type Invocation } from './match.ts';
import { MutatingRound } from './mutating-policies.ts';
import { denied, failedCalling, internalError, noDryRun, problemOf } from './refuse.ts';
import { readAnswer, type AdmissionResponse } from './response.ts';
import type { Webhook } from './webhook.ts';
import type { Webhooks } from './webhooks.ts';

const NEVER_ASKED: ReadonlySet<string> = new Set(
  [
    'mutatingwebhookconfigurations',
    'validatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
  ].map((resource) => `${resource}.admissionregistration.k8s.io`),
);

const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** The result of calling a webhook: its response, why the call failed, or a final refusal. */
type Outcome = AdmissionResponse | { readonly unreachable: string } | Refusal;

/** Admission of one request. */
export class Admission {
  readonly #webhooks: Webhooks;
  readonly #attempt: Attempt;

  constructor(webhooks: Webhooks, attempt: Attempt) {
    this.#webhooks = webhooks;
    this.#attempt = attempt;
  }

  /**
   * Returns the object after the mutating webhooks: the same object when none changes it; undefined for deletions, which have no object.
   */
  mutate(kernel: ServerState, call: Call, what: Admitting, redecode: Redecode): JsonObject | Refusal | undefined {
    if (NEVER_ASKED.has(call.route.definition.gr)) return what.object;
    let current = what;
    const invoked = new Set<string>();
    const again = new Set<string>();
    const policies = new MutatingRound(this.#webhooks.policies.mutating);
    let seen = what.object;
    for (const round of ['first', 'again'] as const) {
      const before = current.object;
      const mutated = policies.run(kernel, call, current, redecode, round);
      if (mutated instanceof Refusal) return mutated;
      current = mutated;
      // Policies run before webhooks, so the webhooks have not seen what a second round of policies changes.
      if (round === 'again' && current.object !== seen) for (const id of invoked) again.add(id);
      for (const webhook of this.#webhooks.mutating) {
        const invocation = wantedBy(kernel, call, current, webhook);
        if (invocation instanceof Refusal) return invocation;
        if (invocation === undefined || (round === 'again' && !again.has(webhook.id))) continue;
        const outcome = this.#ask(kernel, call, current, invocation, true);
        if (outcome instanceof Refusal) return outcome;
        if ('unreachable' in outcome) {
          if (webhook.ignoresFailure) continue;
          return failedCalling(webhook.name, outcome.unreachable);
        }
        for (const warning of outcome.warnings) call.warnings.push(warning);
        if (!outcome.allowed) return denied(webhook.name, outcome.result);
        const changed = patched(call, current, invocation, outcome, redecode);
        if (changed instanceof Refusal) return changed;
        if (typeof changed === 'string') {
          if (!webhook.ignoresFailure) return failedCalling(webhook.name, changed);
        } else if (changed !== undefined && changed !== current.object) {
          // Earlier webhooks with the reinvocation policy IfNeeded are called again.
          for (const id of invoked) again.add(id);
          current = { ...current, object: changed };
        }
        if (webhook.reinvoked) invoked.add(webhook.id);
      }
      seen = current.object;
      if (again.size === 0 && current.object === before) break;
    }
    return current.object;
  }

  /** Returns a refusal when a validating webhook denies the request or cannot be called. */
  validate(kernel: ServerState, call: Call, what: Admitting): Refusal | undefined {
    if (NEVER_ASKED.has(call.route.definition.gr)) return undefined;
    const unwanted = this.#webhooks.policies.validate(kernel, call, what);
    if (unwanted !== undefined) return unwanted;
    const wanted: Wanted[] = [];
    const outcomes: (readonly [Webhook, Outcome])[] = [];
    for (const webhook of this.#webhooks.validating) {
      const invocation = wantedBy(kernel, call, what, webhook);
      if (invocation instanceof Refusal) return invocation;
      if (invocation === undefined) continue;
      const outcome = this.#ask(kernel, call, what, invocation, false);
      // Collects the missing answers of all webhooks, which are called in parallel.
      if (outcome instanceof Suspended) wanted.push(...outcome.wanted);
      else outcomes.push([webhook, outcome]);
    }
    if (wanted.length > 0) return new Suspended(wanted);
    let refusal: Refusal | undefined;
    for (const [webhook, outcome] of outcomes) {
      if (outcome instanceof Refusal) refusal ??= outcome;
      else if ('unreachable' in outcome) {
        if (!webhook.ignoresFailure) refusal ??= failedCalling(webhook.name, outcome.unreachable);
      } else {
        for (const warning of outcome.warnings) call.warnings.push(warning);
        if (!outcome.allowed) refusal ??= denied(webhook.name, outcome.result);
      }
    }
    return refusal;
  }

  #ask(kernel: ServerState, call: Call, what: Admitting, { webhook, version }: Invocation, mutating: boolean): Outcome {
    if (what.dryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun')
      return noDryRun(webhook.name);
    const reviewVersion = webhook.reviewVersions.find((one) => REVIEW_VERSIONS.includes(one));
    if (reviewVersion === undefined)
      return {
        unreachable:
          'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
      };
    const request = requestOf(call, inVersion(call, what, version), version);
    const key = `${webhook.id} ${mutating ? 'm' : 'v'} ${JSON.stringify(request)}`;
    const uid = this.#attempt.questionUid(key);
    const callOut = callOutTo(kernel, webhook, reviewOf(`admission.k8s.io/${reviewVersion}`, uid, request));
    const url = `${callOut.url}?timeout=${callOut.timeoutSeconds}s`;
    const answer = this.#attempt.answerTo(key);
    if (answer === undefined) return new Suspended([{ key, callOut }]);
    const response = readAnswer(url, answer, reviewVersion, uid, mutating);
    return typeof response === 'string' ? { unreachable: response } : response;
  }
}

/** Returns the invocation of the webhook; undefined when the webhook does not match. */
function wantedBy(
  kernel: ServerState,
  call: Call,
  what: Admitting,
  webhook: Webhook,
): Invocation | Refusal | undefined {
  const invocation = invocationOf(kernel, call, what, webhook);
  if (invocation === undefined || invocation instanceof Refusal || webhook.matchConditions.length === 0)
    return invocation;
  const shown = inVersion(call, what, invocation.version);
  const met = conditionsMet(call, shown, requestOf(call, shown, invocation.version), webhook);
  if (met instanceof Refusal) return met;
  return met ? invocation : undefined;
}

function callOutTo(kernel: ServerState, webhook: Webhook, body: JsonObject): CallOut {
  return { ...targetOf(kernel, webhook.clientConfig), timeoutSeconds: webhook.timeoutSeconds, body };
}

/** Returns the URL of a `clientConfig`. */
export function targetOf(kernel: ServerState, config: JsonObject): Pick<CallOut, 'url' | 'service' | 'caBundle'> {
  const ca = textOf(config['caBundle']);
  const trust = ca === '' ? {} : { caBundle: ca };
  const reference = config['service'];
  if (!isMap(reference)) {
    const [, host = '', path = ''] = /^(\w+:\/\/[^/]*)(.*)$/s.exec(textOf(config['url'])) ?? [];
    return { url: host + cleanPath(path), ...trust };
  }
  const namespace = textOf(reference['namespace']);
  const name = textOf(reference['name']);
  const port = typeof reference['port'] === 'number' ? reference['port'] : 443;
  const path = cleanPath(textOf(reference['path']));
  const stored = kernel.store.get('services', rowKey(namespace, name));
  const service: ServiceReference = {
    namespace,
    name,
    port,
    clusterIp: stored === undefined ? '' : textOf(valueAt(stored, ['spec', 'clusterIP'])),
    exists: stored !== undefined,
  };
  return { url: `https://${name}.${namespace}.svc:${port}${path}`, service, ...trust };
}

/** Joins the parts of a path as client-go does: `//failing/` is `/failing`. */
function cleanPath(path: string): string {
  return posix.resolve('/', path.replace(/^\/+/, ''));
}

/** Returns the object after the webhook's patch, or the error of a failed call; the same object when nothing changed. */
function patched(
  call: Call,
  what: Admitting,
  { webhook, version }: Invocation,
  response: AdmissionResponse,
  redecode: Redecode,
): JsonObject | string | Refusal | undefined {
  const { object } = what;
  if (response.patch === undefined) return object;
  let operations: JsonValue;
  try {
    operations = JSON.parse(response.patch) as JsonValue;
  } catch {
    return `received undecodable patch in webhook response: ${jsonProblem(response.patch)}`;
  }
  if (operations === null || (Array.isArray(operations) && operations.length === 0)) return object;
  if (object === undefined)
    return internalError(
      `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  if (response.patchType !== 'JSONPatch') return `unsupported patch type ${JSON.stringify(response.patchType)}`;
  const seen = inVersion(call, what, version).object ?? object;
  const result = applyJsonPatch(seen, operations);
  if (result.outcome === 'malformed')
    return `received undecodable patch in webhook response: json: cannot unmarshal ${goType(operations)} into Go value of type jsonpatch.Patch`;
  if (result.outcome === 'failed') return internalError(result.why);
  if (!isMap(result.value)) return internalError('the result of the patch is no object');
  const own = call.route.version;
  const back =
    version === own || what.kind !== undefined
      ? result.value
      : own.fromStorage(version.toStorage(result.value as KubeObject));
  if (jsonEqual(back, object)) return object;
  const decoded = redecode(back);
  if (decoded instanceof Refusal) return internalError(problemOf(decoded));
  return jsonEqual(decoded, object) ? object : decoded;
}

function jsonProblem(patch: string): string {
  const open = /^[[{"]/.test(patch.trim());
  return open || patch.trim() === '' ? 'unexpected end of JSON input' : 'invalid character in the patch';
}
