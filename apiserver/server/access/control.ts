/**
 * Access control: the step in front of routing.
 *
 * Owns: the authorization mode, the order of impersonation and authorization, the list of denied requests. Does not own: rules (`rbac.ts`),
 * messages (`refuse.ts`). Start at {@link AccessControl.admit}.
 */
import type { KubeObject } from '../../objects/object.ts';
import type { ApiRequest } from '../../wire/http.ts';
import type { Incoming } from '../body.ts';
import type { Call } from '../call.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import { attributesOf, type Attributes } from './attributes.ts';
import { escalationRefusal, isRbacResource } from './escalation.ts';
import { impersonatedUser, impersonates, type Mode } from './impersonation.ts';
import { ALLOW_ALL, Rbac, type Authorizer } from './rbac.ts';
import { forbiddenRequest } from './refuse.ts';

export type AuthorizationMode = 'allow-all' | 'rbac';

/** A denied request, counted when it is repeated. */
export interface DeniedRequest extends Omit<Attributes, 'user'> {
  readonly user: string;
  readonly times: number;
}

/** The maximum number of distinct denials to remember. */
const DENIED_MAX = 1_000;

export class AccessControl {
  readonly authorizer: Authorizer;
  readonly #rbac: Rbac | undefined;
  readonly #modes = new Map<string, Mode>();
  #denied = new Map<string, DeniedRequest>();

  constructor(mode: AuthorizationMode, store: Store) {
    this.#rbac = mode === 'rbac' ? new Rbac(store) : undefined;
    this.authorizer = this.#rbac ?? ALLOW_ALL;
  }

  /** Returns the request with the user that it acts as, after impersonation, or a refusal. */
  admit(request: ApiRequest): ApiRequest | Refusal {
    let admitted = request;
    if (impersonates(request)) {
      const asked = attributesOf(request);
      const user = impersonatedUser(request, asked, this.authorizer, this.#modes);
      if (user instanceof Refusal) {
        if (user.code === 403) this.#remember(asked);
        return user;
      }
      if (user !== undefined) admitted = { ...request, user };
    }
    if (this.#rbac === undefined || admitted.user === undefined) return admitted;
    return this.#validate(attributesOf(admitted)) ?? admitted;
  }

  /** Returns a refusal unless the user may create the object: a PUT or an apply of an absent object needs `create` too. */
  mayCreate(call: Call): Refusal | undefined {
    if (this.#rbac === undefined || call.request.user === undefined || call.request.method === 'POST') return undefined;
    return this.#validate({ ...attributesOf(call.request), verb: 'create' });
  }

  /** Refuses a role or binding that grants permissions that its writer does not have. */
  escalation(call: Call, { object, meta }: Incoming, old: KubeObject | undefined): Refusal | undefined {
    if (this.#rbac === undefined || !isRbacResource(call.route.definition.gr)) return undefined;
    return escalationRefusal(this.#rbac, call, { ...object, metadata: meta }, old);
  }

  /** Returns the denials so far, in order of first occurrence. */
  denied(): readonly DeniedRequest[] {
    return [...this.#denied.values()];
  }

  /** Invalidates caches after a change of roles or bindings. `resource`: the changed resource; absent when everything may have changed. */
  changed(resource?: string): void {
    if (this.#rbac !== undefined && (resource === undefined || isRbacResource(resource))) this.#rbac.forget();
  }

  /** Resets to the state of a new server, apart from stored objects. */
  reset(): void {
    this.changed();
    this.#modes.clear();
    if (this.#denied.size > 0) this.#denied = new Map();
  }

  #validate(asked: Attributes): Refusal | undefined {
    const { allowed, reason } = this.authorizer.authorize(asked);
    if (allowed) return undefined;
    this.#remember(asked);
    return forbiddenRequest(asked, reason);
  }

  #remember({ user, ...asked }: Attributes): void {
    const request = { user: user.name, ...asked };
    const key = JSON.stringify(request);
    const times = (this.#denied.get(key)?.times ?? 0) + 1;
    if (times > 1 || this.#denied.size < DENIED_MAX) this.#denied.set(key, { ...request, times });
  }
}
