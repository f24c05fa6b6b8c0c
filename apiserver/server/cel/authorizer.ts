/**
 * Kubernetes' `authorizer` for CEL: `authorizer.group('apps').resource('deployments').namespace('a').check('create').allowed()`.
 *
 * Owns: the values of the chain and their functions. Mirrors k8s.io/apiserver `cel/library/authz.go`. Does not own: decisions (`access/`).
 * Start at {@link registerAuthorizer} and {@link Authorizer}.
 */
import { registerFunctions } from './library.ts';
import type { Environment } from '@marcbachmann/cel-js';
import type { UserInfo } from '../../wire/http.ts';
import type { Attributes } from '../access/attributes.ts';
import { nameErrors } from '../names.ts';

export interface AuthorizerAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

export type Authorize = (check: Attributes) => AuthorizerAnswer;

type ResourceAttributes = Omit<Attributes, 'user' | 'verb'>;

const NOWHERE: ResourceAttributes = {
  isResource: false,
  path: '',
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
};

/** The maximum number of checks in one expression: a third one would exceed its cost budget. */
const CHECKS_MAX = 2;

/** The variable `authorizer`; `requestResource` is the check of the request's own resource. */
export class Authorizer {
  readonly user: UserInfo;
  readonly #authorize: Authorize;
  readonly #requested: ResourceAttributes;
  readonly #root: Authorizer;
  #checks = 0;

  constructor(authorize: Authorize, user: UserInfo, requested: Partial<ResourceAttributes> = {}, root?: Authorizer) {
    this.#authorize = authorize;
    this.#root = root ?? this;
    this.user = user;
    this.#requested = { ...NOWHERE, isResource: true, ...requested };
  }

  /** Resets the number of checks before the next expression. */
  begin(): void {
    this.#checks = 0;
  }

  check(asked: Attributes): AuthorizerAnswer {
    if (++this.#root.#checks > CHECKS_MAX) throw new Error('operation cancelled: actual cost limit exceeded');
    return this.#authorize(asked);
  }

  /** Returns an authorizer that decides about another user: a service account. */
  as(user: UserInfo): Authorizer {
    return new Authorizer(this.#authorize, user, {}, this.#root);
  }

  get requestResource(): ResourceCheck {
    return new ResourceCheck(this, this.#requested);
  }
}

class Check {
  readonly authorizer: Authorizer;
  readonly place: ResourceAttributes;

  constructor(authorizer: Authorizer, place: ResourceAttributes) {
    this.authorizer = authorizer;
    this.place = place;
  }

  check(verb: string): Decision {
    return new Decision(this.authorizer.check({ user: this.authorizer.user, verb, ...this.place }));
  }
}

class PathCheck extends Check {}
class GroupCheck extends Check {}
class ResourceCheck extends Check {}

class Decision {
  readonly answer: AuthorizerAnswer;

  constructor(answer: AuthorizerAnswer) {
    this.answer = answer;
  }
}

const PREFIX = 'kubernetes.authorization';
export const AUTHORIZER: string = `${PREFIX}.Authorizer`;

export function registerAuthorizer(env: Environment): void {
  const [path, group, resource, decision] = ['PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map(
    (name) => `${PREFIX}.${name}`,
  ) as [string, string, string, string];
  env.registerType(path, PathCheck);
  env.registerType(group, GroupCheck);
  env.registerType(resource, ResourceCheck);
  env.registerType(decision, Decision);
  env.registerType(AUTHORIZER, { ctor: Authorizer, fields: { requestResource: resource } });
  registerFunctions(env, {
    [`${AUTHORIZER}.path(string): ${path}`]: (from: Authorizer, given: string) => {
      if (given.trim() === '') throw new Error('path must not be empty');
      return new PathCheck(from, { ...NOWHERE, path: given });
    },
    [`${AUTHORIZER}.group(string): ${group}`]: (from: Authorizer, given: string) =>
      new GroupCheck(from, { ...NOWHERE, isResource: true, group: given }),
    [`${AUTHORIZER}.serviceAccount(string, string): ${AUTHORIZER}`]: (
      from: Authorizer,
      namespace: string,
      name: string,
    ) => {
      if (nameErrors('subdomain', name, false).length > 0) throw new Error('Invalid service account name');
      if (nameErrors('label', namespace, false).length > 0) throw new Error('Invalid service account namespace');
      const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
      return from.as({ name: `system:serviceaccount:${namespace}:${name}`, groups });
    },
    [`${group}.resource(string): ${resource}`]: (from: GroupCheck, given: string) => {
      if (given.trim() === '') throw new Error('resource must not be empty');
      return new ResourceCheck(from.authorizer, { ...from.place, resource: given });
    },
  });
  const narrowing = (field: string, narrowed: (given: string) => Partial<ResourceAttributes>): void => {
    env.registerFunction(
      `${resource}.${field}(string): ${resource}`,
      (from: ResourceCheck, given: string) => new ResourceCheck(from.authorizer, { ...from.place, ...narrowed(given) }),
    );
  };
  narrowing('subresource', (subresource) => ({ subresource }));
  narrowing('namespace', (namespace) => ({ namespace }));
  narrowing('name', (name) => ({ name }));
  // Selectors do not narrow the check, because RBAC rules have none.
  narrowing('fieldSelector', () => ({}));
  narrowing('labelSelector', () => ({}));
  for (const type of [path, resource])
    env.registerFunction(`${type}.check(string): ${decision}`, (from: Check, verb: string) => from.check(verb));
  registerFunctions(env, {
    [`${decision}.allowed(): bool`]: ({ answer }: Decision) => answer.allowed,
    [`${decision}.reason(): string`]: ({ answer }: Decision) => answer.reason,
    [`${decision}.errored(): bool`]: () => false,
    [`${decision}.error(): string`]: () => '',
  });
}
