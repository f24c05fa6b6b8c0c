/**
 * Requests that the server itself makes: to admission and conversion webhooks.
 *
 * Owns: their shape, and {@link Suspended}, by which a step of a pure, synchronous kernel says that it needs an answer first. Whoever
 * runs the request gets the answer and runs it again from the start. Does not own: sockets (`http/call-out.ts`).
 */
import type { JsonObject } from '../../objects/object.ts';
import { Refusal } from '../refusal.ts';

/** One POST to a webhook. */
export interface CallOut {
  /** Without query; the shell adds `timeout`. */
  readonly url: string;
  /** The service behind the URL, when the configuration names one. */
  readonly service?: ServiceReference;
  /** PEM, base64-encoded as configurations carry it; absent: the system's authorities. */
  readonly caBundle?: string;
  readonly timeoutSeconds: number;
  readonly body: JsonObject;
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** Whether it is stored at all. */
  readonly exists: boolean;
  /** As the stored service has it; empty when it has none. */
  readonly clusterIp: string;
}

export type CallOutAnswer =
  | {
      readonly outcome: 'answered';
      readonly code: number;
      readonly contentType?: string;
      readonly body: string | JsonObject;
    }
  /** No answer came; `why` in Go's words, such as `dial tcp 127.0.0.1:1: connect: connection refused`. */
  | { readonly outcome: 'failed'; readonly why: string };

/** Makes a call-out. `answer` is called once, before it returns or later; the returned function gives the call-out up. */
export type CallOutFunction = (callOut: CallOut, answer: (given: CallOutAnswer) => void) => () => void;

/** A call-out that a run of a request waits for. */
export interface Wanted {
  /** The same for the same question. */
  readonly key: string;
  readonly callOut: CallOut;
  /** Takes the answer; absent, whoever runs the request keeps it under the key. */
  readonly accept?: (answer: CallOutAnswer) => void;
}

/** Not a refusal but a pause: it travels back through the steps of a request as refusals do. */
export class Suspended extends Refusal {
  readonly wanted: readonly Wanted[];

  constructor(wanted: readonly Wanted[]) {
    super(500, 'a request waits for a webhook');
    this.wanted = wanted;
  }
}
