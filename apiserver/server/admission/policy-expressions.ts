/**
 * The compiled expressions of one admission policy.
 *
 * Owns: the variables (`object`, `oldObject`, `request`, `namespaceObject`, `params`, `authorizer`, `variables`), lazy evaluation of
 * `variables`, and error messages. Mirrors k8s.io/apiserver `admission/plugin/cel`. Start at {@link PolicyExpressions}.
 */
import type { Environment } from '@marcbachmann/cel-js';
import { textOf } from '../../objects/json.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import { ADMIN } from '../access/attributes.ts';
import { Authorizer, AUTHORIZER, registerAuthorizer } from '../cel/authorizer.ts';
import { baseEnvironment, compileExpression, type Expression, type NotCompiled } from '../cel/environment.ts';
import { registerLiterals, withLiteralCalls } from '../cel/object-literals.ts';
import { withOwnNames } from '../cel/presence.ts';
import { declare } from '../cel/rules.ts';
import { shapeOf, toDynamic, type Shape } from '../cel/shapes.ts';
import type { ServerState } from '../server-state.ts';
import type { Call } from '../call.ts';
import { compileNode } from '../schema/node.ts';
import type { Admitting } from './match.ts';

const STRING: JsonObject = { type: 'string' };
const TIME: JsonObject = { type: 'string', format: 'date-time' };
const STRINGS: JsonObject = { type: 'array', items: STRING };
const LABELS: JsonObject = { type: 'object', additionalProperties: STRING };
/** The schema of any value. */
const DYN: JsonObject = { 'x-kubernetes-int-or-string': true };

function struct(properties: JsonObject): JsonObject {
  return { type: 'object', properties };
}

const KIND = struct({ group: STRING, version: STRING, kind: STRING });
const RESOURCE = struct({ group: STRING, version: STRING, resource: STRING });

const REQUEST = struct({
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: struct({
    username: STRING,
    uid: STRING,
    groups: STRINGS,
    extra: { type: 'object', additionalProperties: STRINGS },
  }),
  dryRun: { type: 'boolean' },
  options: DYN,
});

const NAMESPACE = struct({
  metadata: struct({
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: LABELS,
    annotations: LABELS,
    // kube-apiserver declares `UID`, but objects have `uid`: expressions cannot read the field.
    UID: STRING,
    creationTimestamp: TIME,
    deletionGracePeriodSeconds: { type: 'integer' },
    deletionTimestamp: TIME,
    generation: { type: 'integer' },
    resourceVersion: STRING,
    finalizers: STRINGS,
  }),
  spec: struct({ finalizers: STRINGS }),
  status: struct({
    conditions: {
      type: 'array',
      items: struct({ status: STRING, type: STRING, lastTransitionTime: TIME, message: STRING, reason: STRING }),
    },
    phase: STRING,
  }),
});

interface TypedResource {
  readonly env: Environment;
  readonly request: Shape;
  readonly namespace: Shape;
}

let typedResource: TypedResource | undefined;

/** Returns the shared types, created for the first policy. */
function sharedTypedResource(): TypedResource {
  if (typedResource === undefined) {
    const env = baseEnvironment().clone();
    registerAuthorizer(env);
    registerLiterals(env);
    const shapes = [
      shapeOf(compileNode(REQUEST), false, 'kubernetes.AdmissionRequest'),
      shapeOf(compileNode(NAMESPACE), false, 'kubernetes.Namespace'),
    ];
    const [request, namespace] = shapes as [Shape, Shape];
    for (const shape of [request, namespace]) declare(env, shape, false, new Set());
    env.registerVariable('object', 'dyn').registerVariable('oldObject', 'dyn');
    env.registerVariable('request', request.type).registerVariable('namespaceObject', namespace.type);
    typedResource = { env, request, namespace };
  }
  return typedResource;
}

/** The input of expressions. */
export interface Subject {
  readonly what: Admitting;
  readonly request: JsonObject;
  readonly namespace: KubeObject | undefined;
  readonly params: JsonObject | undefined;
}

export type Values = { readonly [name: string]: unknown };

export type Result = { readonly value: unknown } | { readonly error: string };

interface Named {
  readonly name: string;
  readonly expression: Expression | NotCompiled;
}

const VARIABLES = 'kubernetes.variables';

export class PolicyExpressions {
  readonly #variables: readonly Named[];
  readonly #plain: Environment;
  readonly #authorizing: Environment;
  readonly #valueClass: ValueClass;
  readonly #compiled = new Map<string, Expression | NotCompiled>();

  constructor(variables: readonly JsonObject[], takesParams: boolean) {
    const { env } = sharedTypedResource();
    const known: Named[] = [];
    const fields: { [name: string]: string } = {};
    const valueClass = valueClassOf();
    const scope = (authorizing: boolean): Environment => {
      const made = env.clone();
      if (takesParams) made.registerVariable('params', 'dyn');
      if (authorizing) made.registerVariable('authorizer', AUTHORIZER);
      if (variables.length === 0) return made;
      made.registerType(VARIABLES, { ctor: valueClass, fields: { ...fields } });
      return made.registerVariable('variables', VARIABLES);
    };
    for (const one of variables) {
      const name = textOf(one['name']);
      // An expression can use the variables before it.
      const expression = compileExpression(textOf(one['expression']), scope(true));
      known.push({ name, expression });
      valueClass.define({ name, expression });
      fields[name] = expression.outcome === 'compiled' ? expression.type : 'dyn';
    }
    this.#variables = known;
    this.#valueClass = valueClass;
    this.#plain = scope(false);
    this.#authorizing = scope(true);
  }

  /** Returns the compile errors of variables, by name. */
  get variables(): readonly Named[] {
    return this.#variables;
  }

  /** Compiles an expression. `authorizing`: whether `authorizer` is available. */
  compile(source: string, authorizing = true): Expression | NotCompiled {
    const key = `${authorizing ? 'a' : 'p'}${source}`;
    let expression = this.#compiled.get(key);
    if (expression === undefined) {
      const env = authorizing ? this.#authorizing : this.#plain;
      expression = compileExpression(source, env, undefined, (given) => withOwnNames(withLiteralCalls(given)));
      this.#compiled.set(key, expression);
    }
    return expression;
  }

  /** Returns the values of the variables for one request. */
  values(kernel: ServerState, call: Call, { what, request, namespace, params }: Subject): Values {
    const shapes = sharedTypedResource();
    const { object: _, oldObject: __, ...asked } = request;
    const { definition, subresource } = call.route;
    const user = call.request.user ?? ADMIN;
    const values: { [name: string]: unknown } = {
      object: toDynamic(what.object ?? null),
      oldObject: toDynamic(what.old ?? null),
      request: shapes.request.convert(asked),
      namespaceObject: namespace === undefined ? null : shapes.namespace.convert(seenNamespace(namespace)),
      params: params === undefined ? null : toDynamic(params),
      authorizer: new Authorizer((check) => kernel.access.authorizer.authorize(check), user, {
        group: definition.group,
        resource: definition.resource,
        subresource,
        namespace: what.namespace,
        name: what.name,
      }),
    };
    values['variables'] = new this.#valueClass(() => values);
    return values;
  }

  evaluate(source: string, values: Values, authorizing = true): Result {
    const expression = this.compile(source, authorizing);
    if (expression.outcome === 'refused') return { error: `compilation failed: ${expression.message}` };
    (values['authorizer'] as Authorizer).begin();
    const result = expression.evaluate(values);
    if (result.outcome === 'value') return { value: result.value };
    return { error: `expression '${source}' resulted in error: ${result.message}` };
  }
}

/** Returns a namespace without managedFields and other fields that expressions cannot read. */
function seenNamespace({ metadata, spec, status }: KubeObject): JsonObject {
  const { ownerReferences: _, managedFields: __, ...meta } = metadata;
  return { metadata: meta, spec: spec ?? {}, status: status ?? {} };
}

interface ValueClass {
  new (values: () => Values): object;
  define(variable: Named): void;
}

/** Returns a class with a lazy, cached getter for each variable. */
function valueClassOf(): ValueClass {
  class PolicyVariables {
    readonly #values: () => Values;
    readonly #known = new Map<string, Result>();

    constructor(values: () => Values) {
      this.#values = values;
    }

    static define({ name, expression }: Named): void {
      Object.defineProperty(PolicyVariables.prototype, name, {
        get(this: PolicyVariables): unknown {
          return this.#read(name, expression);
        },
      });
    }

    #read(name: string, expression: Expression | NotCompiled): unknown {
      let result = this.#known.get(name);
      if (result === undefined) this.#known.set(name, (result = this.#work(name, expression)));
      if ('error' in result) throw new Error(result.error);
      return result.value;
    }

    #work(name: string, expression: Expression | NotCompiled): Result {
      const subject = `composited variable ${JSON.stringify(name)} fails to`;
      if (expression.outcome === 'refused')
        return { error: `${subject} compile: compilation failed: ${expression.message}` };
      const result = expression.evaluate(this.#values());
      return result.outcome === 'value' ? { value: result.value } : { error: `${subject} evaluate: ${result.message}` };
    }
  }
  return PolicyVariables;
}
