/** Formats leaves and values for reports, briefly, because each request gets one line. */
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { isServerLeaf, leafPattern, type LeafChange } from '../model/leaf.ts';

const SEGMENT = /\.?([A-Za-z_$][\w$-]*)|\[("(?:[^"\\]|\\.)*"|[^\]]*)\](~\d+)?/g;
const VALUE_MAX = 24;

/**
 * Returns the last map key, preceded by the type if it is in a condition: `spec.replicas` → `replicas`,
 * `status.conditions[type=Ready].status` → `Ready.status`, `metadata.annotations["example.com/a"]` → `example.com/a`.
 */
export function shortLeaf(path: string): string {
  let item = '';
  let key = '';
  for (const match of path.matchAll(SEGMENT)) {
    const [, plain, bracket] = match;
    if (plain !== undefined) key = plain;
    else if (bracket !== undefined && bracket.startsWith('"')) key = JSON.parse(bracket) as string;
    else if (bracket !== undefined) {
      const value = bracket.slice(bracket.indexOf('=') + 1);
      item = bracket.startsWith('type=') || bracket.startsWith('name=') ? value : '';
      key = item === '' ? `${key}[${value}]` : '';
    }
  }
  // Containers and other items are omitted: `image`, not `web.image`. Conditions need their type.
  return path.includes('[type=') && item !== '' ? (key === '' ? item : `${item}.${key}`) : key === '' ? item : key;
}

/** Formats a value, and cuts it in the middle to fit into a cell, because images and names differ at their end. */
export function valueText(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
  const head = 6;
  return text.length <= VALUE_MAX ? text : `${text.slice(0, head)}…${text.slice(head + 1 - VALUE_MAX)}`;
}

/** Formats a change: `replicas=5`, `-replicas` for a removal, `+x/y` for an item of a list of scalars. */
export function changeText(change: LeafChange): string {
  const scalarItem = /\["((?:[^"\\]|\\.)*)"\](~\d+)?$/.exec(change.path);
  const isItem = scalarItem !== null && (change.to ?? change.from) === scalarItem[1];
  if (change.to === undefined) return `-${isItem ? scalarItem[1] : shortLeaf(change.path)}`;
  return isItem ? `+${scalarItem[1]}` : `${shortLeaf(change.path)}=${valueText(change.to)}`;
}

/** Reports whether a leaf belongs to the field of a violation. An empty field matches none. */
export function isField(path: string, field: string): boolean {
  if (field === '') return false;
  const pattern = leafPattern(path);
  return pattern === field || pattern.startsWith(`${field}.`) || pattern.startsWith(`${field}[`);
}

const NEVER_SHOWN = /^metadata\.(name|namespace|generateName)$/;

/** Formats the changes worth showing, at most `max`: the violation's field last, without server-set fields and names. */
export function changesText(changes: readonly LeafChange[], field: string, max = 3): string {
  const shown = changes.filter((change) => !isServerLeaf(change.path) && !NEVER_SHOWN.test(change.path));
  const texts = [
    ...shown.filter((change) => !isField(change.path, field)).map(changeText),
    ...fieldTexts(
      shown.filter((change) => isField(change.path, field)),
      field,
    ),
  ];
  if (texts.length <= max) return texts.join(' ');
  // The violation's field is last and must be kept, so changes before it are dropped instead.
  const kept = [...texts.slice(0, max - 1), ...texts.slice(-1)];
  return `${kept.join(' ')} +${texts.length - kept.length} more`;
}

/** Formats the changes of the violation's field. A whole item or map that was added or removed at once is shown as one change. */
function fieldTexts(changes: readonly LeafChange[], field: string): readonly string[] {
  if (changes.length < 2) return changes.map(changeText);
  const item = commonItem(changes, field);
  if (changes.every((change) => change.to === undefined)) return [`-${shortLeaf(item)}`];
  if (changes.some((change) => change.from !== undefined || change.to === undefined)) return changes.map(changeText);
  const items = new Set(changes.map(({ path }) => itemOf(path, field)));
  if (items.size > 1 && !items.has(undefined)) return [`+${items.size} ${shortLeaf(field)}`];
  // The status is the most informative field of a condition.
  const status = changes.find((change) => change.path.endsWith('.status'));
  return [status === undefined ? `+${shortLeaf(item)}` : changeText(status)];
}

/** Returns the item of the field that contains all changes, such as `status.conditions[type=Ready]`; else the field. */
function commonItem(changes: readonly LeafChange[], field: string): string {
  const items = new Set(changes.map(({ path }) => itemOf(path, field) ?? field));
  const [item = field] = items;
  return items.size === 1 ? item : field;
}

/** Returns the item of a field that contains a leaf; undefined if the field is not a list. */
export function itemOf(path: string, field: string): string | undefined {
  const rest = path.slice(field.length);
  if (!path.startsWith(field) || !rest.startsWith('[')) return undefined;
  return field + (/^\[(?:"(?:[^"\\]|\\.)*"|[^\]]*)\](?:~\d+)?/.exec(rest)?.[0] ?? '');
}
