/**
 * Determines when a started process counts as ready, by its author's condition.
 *
 * Owns: parsing `--ready`, and checking the condition. Does not own: what happens until then (`execution/run/settling.ts` waits). Start at
 * {@link parseReadiness} and {@link watchReadiness}.
 */
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import type { ApiRequest, Upstream } from 'stalemate-apiserver/wire/http';
import { groupResource } from 'stalemate-apiserver/objects/object';
import { realDelay } from '../../determinism/real-time.ts';
import { ask } from './ask.ts';
import type { Enclosure } from './enclosure.ts';

export type Readiness =
  /** Ready once it has sent a request. */
  | { readonly by: 'quiet' }
  /** Ready once this URL answers with 2xx or 3xx; placeholders as in the command line. */
  | { readonly by: 'url'; readonly url: string }
  /** Ready once it has printed a line that matches. */
  | { readonly by: 'log'; readonly pattern: RegExp }
  /** Ready once it has opened a watch of each of these resources, such as `pods` or `widgets.example.com`. */
  | { readonly by: 'watch'; readonly resources: readonly string[] };

/** The accepted forms, for messages. */
export const READINESS_FORMS =
  '"quiet", "url:http://127.0.0.1:{port}/readyz", "log:REGULAR-EXPRESSION" or "watch:RESOURCE,RESOURCE" (pods, widgets.example.com)';

/** Parses the value of `--ready`; undefined if it has none of the forms. */
export function parseReadiness(text: string): Readiness | undefined {
  const [, by = '', what = ''] = /^(\w+)(?::(.+))?$/s.exec(text) ?? [];
  if (by === 'quiet' && what === '') return { by };
  if (what === '') return undefined;
  if (by === 'url') return /^https?:\/\/(127\.0\.0\.1|localhost):/.test(what) ? { by, url: what } : undefined;
  if (by === 'watch') return { by, resources: what.split(',').map((resource) => resource.trim()) };
  if (by !== 'log') return undefined;
  try {
    return { by, pattern: new RegExp(what) };
  } catch {
    return undefined;
  }
}

/** Checks whether one incarnation is ready. */
export interface ReadinessWatch {
  readonly ready: boolean;
  /** Called with a line of its output. */
  printed(line: string): void;
  /** Called when a watch that it requested is open. */
  watching(request: ApiRequest): void;
  /** Probes once, if it has a readiness URL. Resolves with true if it probed. */
  probe(): Promise<boolean>;
  /** Stops checking. */
  end(): void;
}

/** The interval between probes of a URL, in ms. */
const ASK_EVERY_MS = 50;
/** The time limit of a probe. */
const ANSWER_MS = 2_000;

/** Starts checking; the placeholders in `url` are already filled in. */
export function watchReadiness(readiness: Readiness, enclosure: Enclosure, isSteered = false): ReadinessWatch {
  let ready = readiness.by === 'quiet';
  let over = false;
  const missing = new Set(readiness.by === 'watch' ? readiness.resources : []);
  const lookAt = async (url: URL): Promise<void> => {
    while (!ready && !over) {
      ready = await answers(url, enclosure);
      if (!ready) await realDelay(ASK_EVERY_MS);
    }
  };
  // With a controlled clock, the program's time does not pass between two probes: the code that waits for rest calls `probe` instead.
  if (readiness.by === 'url' && !isSteered) void lookAt(new URL(readiness.url));
  return {
    get ready() {
      return ready;
    },
    printed: (line) => {
      if (readiness.by === 'log' && readiness.pattern.test(line)) ready = true;
    },
    watching: ({ method, path, query }) => {
      const info = requestInfo(method, path, query);
      if (readiness.by !== 'watch' || info?.verb !== 'watch') return;
      missing.delete(groupResource(info));
      missing.delete(info.resource);
      ready = missing.size === 0;
    },
    probe: async () => {
      if (readiness.by !== 'url' || ready || over) return false;
      ready = await answers(new URL(readiness.url), enclosure);
      return true;
    },
    end: () => {
      over = true;
    },
  };
}

/** Wraps an upstream so that `watching` is called with each request that opens a watch. */
export function observingWatches(upstream: Upstream, watching: (request: ApiRequest) => void): Upstream {
  return {
    send: (request, sink) =>
      upstream.send(request, {
        answer: (response) => sink.answer(response),
        open: (headers) => {
          watching(request);
          sink.open(headers);
        },
        event: (event) => sink.event(event),
        end: (error) => sink.end(error),
      }),
  };
}

async function answers(url: URL, enclosure: Enclosure): Promise<boolean> {
  try {
    const { code } = await ask(url, enclosure, ANSWER_MS);
    return code >= 200 && code < 400;
  } catch {
    return false;
  }
}
