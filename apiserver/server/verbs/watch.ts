/**
 * GET with `watch=true`: from a version, from now, or with initial events (WatchList).
 *
 * Owns: the initial events. Later events are delivered by `../watchers.ts`. An expired version is refused inside the stream, as by
 * kube-apiserver's watch cache; a watch from a future version waits for it.
 */
import type { ResponseSink } from '../../wire/http.ts';
import { failureStatus } from '../../wire/status.ts';
import { warningText, withWarnings } from '../answering.ts';
import { bookmarked } from '../apply/ground.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
import {
  badRequest,
  fieldForbidden,
  fieldNotSupported,
  invalid,
  rawError,
  Refusal,
  tooLargeVersion,
  type FieldError,
} from '../refusal.ts';
import { bookmark, eventFor, type Watcher, type Watchers } from '../watchers.ts';
import { LIST_OPTIONS, querySyntax, selected, selection, versionSyntax } from './read.ts';

const NOTHING = (): void => {};

/** Opens a watch. The returned function closes it from the client's side. */
export function watch(kernel: Kernel, watchers: Watchers, call: Call, sink: ResponseSink): () => void {
  const refuse = (refusal: Refusal): (() => void) => {
    sink.answer(withWarnings(call, refusal));
    return NOTHING;
  };
  const { definition, version, namespace } = call.route;
  const { query } = call.request;
  const syntax = querySyntax(query);
  if (syntax !== undefined) return refuse(badRequest(syntax));
  const errors = watchErrors(query);
  if (errors.length > 0) return refuse(invalid(LIST_OPTIONS, '', errors));
  const picked = selection(call);
  if (picked instanceof Refusal) return refuse(picked);
  const asked = query['resourceVersion'] ?? '';
  if (asked !== '' && !/^\d+$/.test(asked)) return refuse(rawError(versionSyntax(asked)));

  const { store } = kernel;
  const number = asked === '' ? 0 : Number(asked);
  const bookmarks = isTrue(query['allowWatchBookmarks']);
  const initial = query['sendInitialEvents'] === undefined ? number === 0 : isTrue(query['sendInitialEvents']);
  const watcher: Watcher = {
    resource: definition.gr,
    version,
    empty: () => bookmarked(definition, version),
    namespace,
    selection: picked,
    bookmarks,
    sink,
    after: initial || number === 0 ? store.revision : number,
    closed: false,
  };

  if (version.deprecated === undefined) sink.open();
  else sink.open({ warning: warningText(version.deprecated) });
  if (initial) {
    if (number > store.revision) {
      sink.event({ type: 'ERROR', object: tooLargeVersion(number, store.revision).body as never });
      sink.end();
      return NOTHING;
    }
    const revision = store.revision;
    const present = store.list(definition.gr, namespace);
    const close = watchers.add(watcher);
    watchers.first(() => {
      for (const object of present) {
        const shown = version.fromStorage(object);
        if (!watcher.closed && selected(picked, shown)) sink.event({ type: 'ADDED', object: shown });
      }
      // Only watches with bookmarks are notified of the end of the initial events.
      if (bookmarks && !watcher.closed) sink.event(bookmark(watcher.empty(), revision, true));
    });
    return close;
  }
  if (number !== 0 && number < store.floor) {
    const message = `too old resource version: ${number} (${store.floor})`;
    sink.event({ type: 'ERROR', object: failureStatus(410, 'Expired', message) });
    sink.end();
    return NOTHING;
  }
  const missed = number === 0 ? [] : store.changesAfter(number);
  watcher.after = Math.max(watcher.after, missed.at(-1)?.revision ?? 0);
  const close = watchers.add(watcher);
  if (missed.length > 0)
    watchers.first(() => {
      for (const change of missed) {
        if (watcher.closed || change.resource !== definition.gr) continue;
        const event = eventFor(watcher, change);
        if (event !== undefined) sink.event(event);
      }
    });
  return close;
}

function isTrue(text: string | undefined): boolean {
  return text === 'true' || text === '1';
}

function watchErrors(query: { readonly [key: string]: string }): readonly FieldError[] {
  const { resourceVersionMatch: match = '', sendInitialEvents } = query;
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan')
    errors.push(
      fieldForbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    );
  if (match !== '') {
    if (sendInitialEvents === undefined)
      errors.push(
        fieldForbidden(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        ),
      );
    if (match !== 'NotOlderThan') errors.push(fieldNotSupported('resourceVersionMatch', match, ['NotOlderThan']));
    if ((query['continue'] ?? '') !== '')
      errors.push(
        fieldForbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'),
      );
  }
  return errors;
}
