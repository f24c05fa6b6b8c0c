/**
 * MutatingAdmissionPolicy: mutations in CEL.
 *
 * Owns: the order of mutations, applying apply configurations and JSON patches, reinvocation, refusals. Mirrors k8s.io/apiserver
 * `admission/plugin/policy/mutating`. Does not own: matching (`policy-definitions.ts`). Start at {@link MutatingRound}.
 */
import { jsonEqual, isList, isMap, mapOf, mapsOf, textOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { typedResourceOf } from '../apply/ground.ts';
import { merge } from '../apply/merge.ts';
import { errorsText, validate, type TypedError } from '../apply/typed.ts';
import type { TypeNode } from '../apply/types.ts';
import { jsonOf, misplaced, ObjectLiteral } from '../cel/object-literals.ts';
import type { ServedVersion } from '../definition.ts';
import type { ServerState } from '../server-state.ts';
import type { Call } from '../call.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { detailsOf, Refusal, refuse } from '../refusal.ts';
import { type Redecode, requestOf } from './review.ts';
import { inVersion, type Admitting } from './match.ts';
import {
  matchesOf,
  namespaceOf,
  policyConditionsMet,
  type Policy,
  type PolicyMatch,
  type PolicyProblem,
} from './policy-definitions.ts';
import type { Values } from './policy-expressions.ts';
import { internalError, problemOf } from './refuse.ts';

/** Mutating policies in one request: the first round, and a second one for policies with reinvocation. */
export class MutatingRound {
  readonly #policies: readonly Policy[];
  readonly #invoked = new Set<string>();
  readonly #again = new Set<string>();
  #output: JsonObject | undefined;

  constructor(policies: readonly Policy[]) {
    this.#policies = policies;
  }

  /** Returns the object after all policies: the same object when none changes it. */
  run(
    kernel: ServerState,
    call: Call,
    what: Admitting,
    redecode: Redecode,
    round: 'first' | 'again',
  ): Admitting | Refusal {
    if (this.#policies.length === 0) return what;
    const problems: PolicyProblem[] = [];
    const matches: PolicyMatch[] = [];
    for (const match of matchesOf(kernel, call, what, this.#policies)) {
      if ('message' in match) problems.push(match);
      else matches.push(match);
    }
    if (round === 'again' && !jsonEqual(this.#output ?? null, what.object ?? null)) this.#askAgain();
    let current = what;
    let ran = false;
    for (const match of matches)
      for (const params of match.params) {
        const result = this.#invoke(kernel, call, current, match, params, redecode, round);
        if (result instanceof Refusal) return result;
        if (result === undefined) continue;
        ran ||= result.ran;
        if (result.current !== current) this.#askAgain();
        current = result.current;
        for (const message of result.errors) problems.push({ policy: match.policy, binding: match.binding, message });
        if (match.policy.spec['reinvocationPolicy'] === 'IfNeeded') this.#invoked.add(keyOf(match, params));
      }
    if (ran) this.#askAgain();
    this.#output = current.object;
    return refusalOf(call, what, problems) ?? current;
  }

  #askAgain(): void {
    for (const key of this.#invoked) this.#again.add(key);
    this.#invoked.clear();
  }

  #invoke(
    kernel: ServerState,
    call: Call,
    what: Admitting,
    match: PolicyMatch,
    params: KubeObject | undefined,
    redecode: Redecode,
    round: 'first' | 'again',
  ): Invoked | Refusal | undefined {
    const { policy, version } = match;
    const namespace = namespaceOf(kernel, call, what);
    const valuesOf = (given: Admitting): Values => {
      const shown = inVersion(call, given, version);
      return policy.expressions.values(kernel, call, {
        what: shown,
        request: requestOf(call, shown, version),
        namespace,
        params,
      });
    };
    const met = policyConditionsMet(policy, valuesOf(what));
    if (typeof met === 'string') return { current: what, ran: false, errors: [met] };
    if (!met || (round === 'again' && !this.#again.has(keyOf(match, params)))) return undefined;
    const errors: string[] = [];
    let current = what;
    let ran = false;
    for (const mutation of mapsOf(policy.spec['mutations'])) {
      const { object } = current;
      if (object === undefined) continue;
      const seen = inVersion(call, current, version).object ?? object;
      const changed = mutated(call, policy, mutation, seen, valuesOf(current), version);
      if (changed instanceof Refusal) return changed;
      if ('error' in changed) {
        errors.push(changed.error);
        continue;
      }
      ran = true;
      if (jsonEqual(changed.object, seen)) continue;
      const own = call.route.version;
      const back =
        version === own || what.kind !== undefined
          ? changed.object
          : own.fromStorage(version.toStorage(changed.object as KubeObject));
      const decoded = redecode(back);
      if (decoded instanceof Refusal) return internalError(problemOf(decoded));
      if (!jsonEqual(decoded, object)) current = { ...current, object: decoded };
    }
    return { current, ran, errors };
  }
}

/** The result of one policy with one set of parameters. */
interface Invoked {
  readonly current: Admitting;
  /** True if any mutation was evaluated. */
  readonly ran: boolean;
  readonly errors: readonly string[];
}

function keyOf({ policy, binding }: PolicyMatch, params: KubeObject | undefined): string {
  const { namespace = '', name = '' } = params?.metadata ?? {};
  return `${policy.name}/${binding.name}/${namespace}/${name}`;
}

function mutated(
  call: Call,
  policy: Policy,
  mutation: JsonObject,
  object: JsonObject,
  values: Values,
  version: ServedVersion,
): { readonly object: JsonObject } | { readonly error: string } | Refusal {
  const patches = mutation['patchType'] === 'JSONPatch';
  const source = textOf(mapOf(mutation[patches ? 'jsonPatch' : 'applyConfiguration'])['expression']);
  const result = policy.expressions.evaluate(source, values);
  if ('error' in result) return result;
  return patches ? patched(object, result.value) : applied(call, object, result.value, version);
}

function patched(object: JsonObject, value: unknown): ReturnType<typeof mutated> {
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
  for (const item of items) {
    const held = item instanceof ObjectLiteral ? item.fields.get('value') : undefined;
    const wrong = held instanceof ObjectLiteral ? misplaced(held, held.type) : [];
    if (wrong.length > 0) return { error: `type mismatch: ${wrong.join('\n')}` };
  }
  const result = applyJsonPatch(object, jsonOf(items));
  if (result.outcome === 'patched') return { object: result.value as JsonObject };
  // A failed test is not an error: the object stays unchanged.
  return result.why.startsWith('testing value') ? { object } : { error: `JSON Patch: ${result.why}` };
}

function applied(call: Call, object: JsonObject, value: unknown, version: ServedVersion): ReturnType<typeof mutated> {
  const wrong = misplaced(value, 'Object');
  if (wrong.length > 0) return { error: `type mismatch: ${wrong.join('\n')}` };
  const [apiVersion, kind] = [textOf(object['apiVersion']), textOf(object['kind'])];
  const config = { ...mapOf(jsonOf(value)), apiVersion, kind };
  const type = typedResourceOf(call.route.definition, version, '').typeIn(version.apiVersion);
  if (type === undefined) return { error: `no corresponding type for ${kind}` };
  const errors: TypedError[] = [];
  validate(type, config, 'refused', errors);
  if (errors.length > 0)
    return {
      error: `error applying patch: failed to convert patch object to typed object: ${errorsText(errors)}`,
    };
  const atomics = atomicsIn(type, config, '');
  if (atomics.length > 0)
    return {
      error: `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    };
  return { object: mapOf(merge(type, object, config)) };
}

/** Returns the paths of atomic lists and maps in a value. */
function atomicsIn(type: TypeNode, value: JsonValue, path: string): readonly string[] {
  if (isMap(value) && type.map !== undefined) {
    const { map } = type;
    const below = Object.entries(value).flatMap(([key, item]) => {
      const field = map.fields.get(key);
      return field === undefined || item === undefined ? [] : atomicsIn(field.type(), item, `${path}.${key}`);
    });
    return map.atomic ? [path, ...below] : below;
  }
  if (isList(value) && type.list !== undefined) {
    const { list } = type;
    const below = value.flatMap((item, index) => atomicsIn(list.element(), item, `${path}[${index}]`));
    return list.atomic ? [path, ...below] : below;
  }
  return [];
}

/** Returns a refusal with the first problem as its message. The code is always 403, whatever the reason. */
function refusalOf(call: Call, what: Admitting, problems: readonly PolicyProblem[]): Refusal | undefined {
  const messages = problems
    .filter(({ policy }) => !policy.ignoresFailure)
    .map(({ policy, binding, message }) =>
      binding === undefined
        ? `policy ${JSON.stringify(policy.name)} denied request: ${message}`
        : `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`,
    );
  const [first] = messages;
  if (first === undefined) return undefined;
  const { definition } = call.route;
  const configured = problems.find(({ policy }) => !policy.ignoresFailure)?.message.startsWith('failed to configure');
  return refuse(
    403,
    configured === true ? 'Forbidden' : 'Invalid',
    first,
    detailsOf(definition, what.name, { causes: messages.map((message) => ({ message })) }),
  );
}
