/** The versions of an object: for each, its writer, the version it was made from, and whether the writer intended to change the field. */
import { isMap, jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import type { Violation } from '../../model/check-result.ts';
import type { Operation, Revision } from '../../model/history.ts';
import { diffLeaves, leavesOf, type LeafChange } from '../../model/leaf.ts';
import type { HistoryIndex } from '../history-index.ts';
import type { KnowledgeBase } from '../knowledge.ts';
import { changesText, isField, itemOf, shortLeaf, valueText } from '../leaf-text.ts';
import type { ChainVersion, Intent, ReportChain } from './document.ts';
import { baseOf, type WriteBase } from './write-base.ts';

/** Maximum number of versions of an object on a page; those around the violation are kept. */
const VERSIONS_MAX = 60;
/** Maximum number of changes listed per version if there is no field to follow. */
const CHANGES_MAX = 4;

export interface ChainContext {
  readonly index: HistoryIndex;
  readonly knowledge: KnowledgeBase;
  readonly violation: Violation;
}

/** Builds the chain of the object at a key. It follows the violation's field if the object has it. */
export function fieldChain(context: ChainContext, key: string): ReportChain | undefined {
  const chain = context.index.chain(key);
  const last = chain.at(-1);
  if (last === undefined) return undefined;
  const wanted = context.violation.signature.field;
  const field = chain.some(({ object }) => hasField(object, wanted)) ? wanted : '';
  const end = chain.findLastIndex(({ at }) => at <= context.violation.at) + 1;
  const shown = chain.slice(Math.max(0, Math.max(end, 1) - VERSIONS_MAX), Math.max(end, 1) + 5);
  return {
    object: context.index.shortName(key),
    field,
    versions: shown.map((revision) => chainVersion(context, key, revision, field)),
  };
}

function chainVersion(context: ChainContext, key: string, revision: Revision, field: string): ChainVersion {
  const { index, knowledge, violation } = context;
  const operation = index.operation(revision.op);
  const moment = operation?.invoked.at ?? revision.at;
  const received = knowledge.all(revision.actor, key).filter(({ at }) => at < moment);
  const base = operation === undefined ? undefined : baseOf(operation, received);
  const place = violation.operations.indexOf(revision.op);
  return {
    at: revision.at,
    timeMs: revision.timeMs,
    revision: revision.revision,
    actor: revision.actor,
    request: operation === undefined ? '' : requestWord(operation),
    ...(base === undefined ? {} : { base: base.content.revision }),
    ...(base?.under === undefined ? {} : { under: base.under }),
    value: valueOf(revision, field),
    intent: intentOf(revision, operation, base, field),
    ...(place < 0
      ? {}
      : { role: place === 0 ? 'guilty' : violation.signature.property === 'no-lost-update' ? 'victim' : 'involved' }),
  };
}

const WORDS: { readonly [verb: string]: string } = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE all',
};

function requestWord({ verb, subresource, contentType }: Operation): string {
  const word = verb === 'patch' && contentType?.includes('apply-patch') === true ? 'APPLY' : (WORDS[verb] ?? verb);
  return subresource === '' ? word : `${word} /${subresource}`;
}

function valueOf(revision: Revision, field: string): string {
  if (revision.type === 'DELETED') return 'gone';
  if (field !== '') return valueTextOf(revision.object, field);
  const changes = diffLeaves(revision.before, revision.object);
  if (revision.before === undefined) return 'created';
  const { deletionTimestamp } = revision.object.metadata;
  const ends = deletionTimestamp !== undefined && revision.before.metadata.deletionTimestamp === undefined;
  const text = changesText(changes, '', CHANGES_MAX);
  return [ends ? 'terminating' : '', text].filter((part) => part !== '').join(', ') || 'only what the server maintains';
}

/** Maximum number of list items shown. */
const ITEMS_MAX = 8;

/** Formats the field's value: a single leaf, the items of a list, or all leaves of a map. */
export function valueTextOf(object: JsonObject, field: string): string {
  const values = [...leavesOf(object)].filter(([path]) => isField(path, field));
  const [only] = values;
  if (only === undefined) return 'not set';
  const items = itemTexts(values, field);
  if (items.length > 0) {
    const more = items.length - ITEMS_MAX;
    return [...items.slice(0, ITEMS_MAX), ...(more > 0 ? [`+${more} more`] : [])].join(' ');
  }
  if (values.length === 1) return valueText(only[1]);
  return values
    .slice(0, CHANGES_MAX)
    .map(([path, value]) => `${shortLeaf(path)}=${valueText(value)}`)
    .join(' ');
}

/** Returns a text per list item: `Ready=True` for a condition, the name for another item. Empty if the field is not a list. */
function itemTexts(values: readonly (readonly [string, JsonValue])[], field: string): readonly string[] {
  const items = new Map<string, string>();
  for (const [path, value] of values) {
    const item = itemOf(path, field);
    if (item === undefined) return [];
    const status = path === `${item}.status` ? `=${valueText(value)}` : (items.get(item) ?? '');
    items.set(item, status);
  }
  return [...items].map(([item, status]) => `${shortLeaf(item)}${status}`);
}

function hasField(object: JsonObject, field: string): boolean {
  for (const path of leavesOf(object).keys()) if (isField(path, field)) return true;
  return false;
}

function intentOf(
  revision: Revision,
  operation: Operation | undefined,
  base: WriteBase | undefined,
  field: string,
): Intent {
  if (revision.type === 'DELETED' || operation?.verb.startsWith('delete') === true) return 'deleted';
  if (revision.before === undefined) return 'created';
  const changed = field === '' || fieldChanges(diffLeaves(revision.before, revision.object), field).length > 0;
  if (operation === undefined) return 'server';
  if (operation.verb === 'patch') return changed ? (patchNames(operation.body, field) ? 'meant' : 'server') : 'none';
  if (base === undefined || !isMap(operation.body)) return changed ? 'server' : 'none';
  if (field === '') return 'meant';
  const same = sameField(base.content.object, operation.body, field);
  if (!same) return base.rebuilt(field) !== undefined && !hasField(operation.body, field) ? 'rebuilt' : 'meant';
  return changed ? 'reverted' : 'carried';
}

function fieldChanges(changes: readonly LeafChange[], field: string): readonly LeafChange[] {
  return changes.filter(({ path }) => isField(path, field));
}

function sameField(a: JsonObject, b: JsonObject, field: string): boolean {
  return fieldChanges(diffLeaves(a, b), field).length === 0;
}

/** Reports whether a patch contains the field. A JSON patch names paths; other patches are partial objects. */
function patchNames(body: JsonValue | undefined, field: string): boolean {
  if (field === '') return true;
  if (isMap(body)) return [...leavesOf(body).keys()].some((path) => isField(path, field) || field.startsWith(path));
  return !jsonEqual(body, undefined);
}
