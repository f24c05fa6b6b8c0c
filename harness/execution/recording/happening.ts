/**
 * The content of a recording before it becomes a history: requests, answers, events and changes, in the order in which they were observed.
 */
import type { WatchEvent } from 'stalemate-apiserver/objects/watch-event';
import type { ApiRequest, ApiResponse } from 'stalemate-apiserver/wire/http';
import type { ObservedChange } from '../../gate/recorder.ts';
import type { ActorId } from '../../model/actor.ts';

/** One observation. `exchange` links an answer to its request. Times are ms since the recording began. */
export type Happening =
  | {
      readonly what: 'request';
      readonly exchange: number;
      readonly timeMs: number;
      readonly actor: ActorId;
      readonly request: ApiRequest;
    }
  | { readonly what: 'answer'; readonly exchange: number; readonly timeMs: number; readonly answer: ApiResponse }
  | { readonly what: 'open'; readonly exchange: number; readonly timeMs: number }
  | { readonly what: 'event'; readonly exchange: number; readonly timeMs: number; readonly event: WatchEvent }
  /** `broken`: there was no answer, or the actor cut the stream. */
  | { readonly what: 'end'; readonly exchange: number; readonly timeMs: number; readonly broken: boolean }
  /** A change that the server has committed, as seen by the observer. */
  | { readonly what: 'change'; readonly timeMs: number; readonly change: ObservedChange };
