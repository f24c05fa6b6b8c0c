/**
 * Requests that the server makes: to admission and conversion webhooks.
 *
 * Owns: the types of these requests, and {@link Suspended}: a step of the pure, synchronous kernel returns it when it needs an answer
 * first. The caller gets the answer and runs the request again from the start. Does not own: sockets (`http/call-out.ts`).
 */
import type { JsonObject } from '../../objects/object.ts';
import { Refusal } from '../refusal.ts';

/** One POST to a webhook. */
export interface CallOut {
  /** The URL without query; the shell adds `timeout`. */
  readonly url: string;
  /** The service behind the URL, when the configuration names one. */
  readonly service?: ServiceReference;
  /** The trusted authorities: PEM, base64-encoded as in configurations; absent for the system's authorities. */
  readonly caBundle?: string;
  readonly timeoutSeconds: number;
  readonly body: JsonObject;
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** True if the service is stored. */
  readonly exists: boolean;
  /** The cluster IP of the stored service; empty when it has none. */
  readonly clusterIp: string;
}

export type CallOutAnswer =
  | {
      readonly outcome: 'answered';
      readonly code: number;
      readonly contentType?: string;
      readonly body: string | JsonObject;
    }
  /** No answer; `why` is Go's error, for example `dial tcp 127.0.0.1:1: connect: connection refused`. */
  | { readonly outcome: 'failed'; readonly why: string };

/** Makes a call-out. `answer` is called once, before it returns or later; the returned function cancels the call. */
export type CallOutFunction = (callOut: CallOut, answer: (given: CallOutAnswer) => void) => () => void;

/** A call-out that a request waits for. */
export interface Wanted {
  /** The identity of the call: equal calls have equal keys. */
  readonly key: string;
  readonly callOut: CallOut;
  /** Receives the answer; when absent, the answer is stored under the key. */
  readonly accept?: (answer: CallOutAnswer) => void;
}

/**
 * Returned when a request has to wait for a webhook. It is a refusal only so that the steps of a request pass it on as they do refusals.
 */
export class Suspended extends Refusal {
  readonly wanted: readonly Wanted[];

  constructor(wanted: readonly Wanted[]) {
    super(500, 'a request waits for a webhook');
    this.wanted = wanted;
  }
}
