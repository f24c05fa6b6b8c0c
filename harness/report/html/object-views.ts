/** Derives, version by version, what the server held and what each actor had received: cache and live state at any tick. */
import type { JsonObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../../model/actor.ts';
import type { Violation } from '../../model/check-result.ts';
import { diffContent, leafPattern, leavesOf } from '../../model/leaf.ts';
import type { HistoryIndex } from '../history-index.ts';
import type { Knowledge, KnowledgeBase } from '../knowledge.ts';
import { isField, valueText } from '../leaf-text.ts';
import type { ObjectView, Sight, ToldSights } from './document.ts';

/** Maximum number of leaves listed per object: the violation's field first, then the most recently changed ones. */
const LEAVES_MAX = 10;
/** Maximum number of versions per object and reader on a page: the last ones before the violation, and a few after it. */
const SIGHTS_MAX = 300;

/** Builds the view of an object: its versions, and which of them each actor with a column in the story had received. */
export function objectView(
  index: HistoryIndex,
  knowledge: KnowledgeBase,
  violation: Violation,
  key: string,
  actors: readonly string[],
): ObjectView | undefined {
  const chain = around(index.chain(key), violation.at);
  const first = chain[0];
  if (first === undefined) return undefined;
  const leaves = shownLeaves(chain, violation.signature.field);
  const caches = actors
    .filter((actor) => knowledge.reads(actor, first.resource) || roleOf(actor) === 'target')
    .flatMap((actor): readonly ToldSights[] => {
      const all = knowledge.all(actor, key);
      const sightsOf = (known: readonly Knowledge[]): readonly Sight[] =>
        around(known, violation.at).map(({ at, revision, object, deleted }) =>
          sight(at, revision, deleted, object, leaves),
        );
      return [
        { actor, via: 'watch', told: sightsOf(all.filter((known) => fillsCache(index, known))) },
        { actor, via: 'answers', told: sightsOf(all.filter((known) => !fillsCache(index, known))) },
      ];
    })
    .filter(({ told }) => told.length > 0);
  return {
    object: index.shortName(key),
    leaves,
    live: chain.map(({ at, revision, object, type }) => sight(at, revision, type === 'DELETED', object, leaves)),
    caches,
  };
}

/** Reports whether a version reached a cache: watches and their lists fill caches, answers to other requests do not. */
function fillsCache(index: HistoryIndex, { op }: Knowledge): boolean {
  return op === undefined || index.operation(op)?.verb === 'list';
}

function around<T extends { readonly at: number }>(list: readonly T[], moment: number): readonly T[] {
  const end = list.findLastIndex(({ at }) => at <= moment) + 1;
  return list.slice(Math.max(0, end - SIGHTS_MAX), end + SIGHTS_MAX / 10);
}

function sight(at: number, revision: number, gone: boolean, object: JsonObject, leaves: readonly string[]): Sight {
  const values = leavesOf(object);
  return {
    at,
    revision,
    gone,
    values: leaves.map((leaf) => {
      const value = gone ? undefined : values.get(leaf);
      return value === undefined ? null : valueText(value);
    }),
  };
}

function shownLeaves(
  chain: readonly { readonly object: JsonObject; readonly before?: JsonObject }[],
  field: string,
): readonly string[] {
  const about = new Set<string>();
  const changed = new Set<string>();
  for (const { object } of chain) for (const path of leavesOf(object).keys()) if (isField(path, field)) about.add(path);
  for (const { before, object } of chain.toReversed()) {
    if (before === undefined) continue;
    for (const { path } of diffContent(before as never, object as never)) changed.add(path);
  }
  const all = [...about, ...[...changed].filter((path) => !about.has(path))];
  return all.filter((path) => leafPattern(path) !== '').slice(0, LEAVES_MAX);
}
