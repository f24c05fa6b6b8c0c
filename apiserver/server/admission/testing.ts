/** Shared by tests of webhooks: a server whose webhooks are answered in memory, and webhook configurations. */
import { expect } from 'vitest';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import type { CallOut, CallOutAnswer, CallOutFunction } from '../server.ts';
import { testServer, type Answer, type TestServer } from '../testing.ts';

export const CONFIGURATIONS: string = '/apis/admissionregistration.k8s.io/v1';

export interface Review extends JsonObject {
  readonly uid: string;
  readonly operation: string;
  readonly name?: string;
  readonly object: KubeObject | null;
  readonly oldObject: KubeObject | null;
}

export type Say = (request: Review, callOut: CallOut) => JsonObject | CallOutAnswer;

export interface Asked extends TestServer {
  /** Each call-out as `name OPERATION`. */
  readonly calls: string[];
  readonly reviews: Review[];
  say: Say;
}

/** Returns a server whose webhooks are answered in memory. */
export function server(): Asked {
  const calls: string[] = [];
  const reviews: Review[] = [];
  const callOut: CallOutFunction = (asked, answer) => {
    const request = asked.body['request'] as Review;
    calls.push(`${asked.url.slice('https://hook/'.length)} ${request.operation}`);
    reviews.push(request);
    const said = made.say(request, asked);
    answer('outcome' in said ? (said as CallOutAnswer) : reviewed(request, said));
    return () => {};
  };
  const made: Asked = { ...testServer({ callOut }), calls, reviews, say: () => ({ allowed: true }) };
  return made;
}

export function reviewed(request: Review, response: JsonObject): CallOutAnswer {
  const body = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: request.uid, ...response },
  };
  return { outcome: 'answered', code: 200, body };
}

export function hook(name: string, more: JsonObject = {}): JsonObject {
  return {
    name: `${name}.example.com`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: `https://hook/${name}` },
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
    ...more,
  };
}

export function install({ request }: TestServer, kind: 'mutating' | 'validating', hooks: readonly JsonObject[]): void {
  const answer = request('POST', `${CONFIGURATIONS}/${kind}webhookconfigurations`, {
    metadata: { name: kind },
    webhooks: hooks,
  });
  expect(answer.code).toBe(201);
}

export function patching(operations: JsonValue): JsonObject {
  return { allowed: true, patchType: 'JSONPatch', patch: btoa(JSON.stringify(operations)) };
}

export function message(answer: Answer): unknown {
  return (answer.body as JsonObject)['message'];
}

export function rules(resource: string): JsonObject {
  return { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: [resource] };
}
