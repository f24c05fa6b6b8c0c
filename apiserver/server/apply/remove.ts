/**
 * Removes fields from a value.
 *
 * Owns: structured-merge-diff `typed/remove.go`. Lists and maps that become empty turn into null; if that is the whole value, {@link
 * removeItems} returns null.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonValue } from '../../objects/object.ts';
import { fieldType, type FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';
import { handled, isEmptyMap, itemName, shapeOf } from './typed.ts';
import { DEDUCED, type TypeNode } from './types.ts';

export function removeItems(type: TypeNode, value: JsonValue, items: FieldSet): JsonValue {
  switch (handled(type, shapeOf(type, value))) {
    case 'scalar':
      return value;
    case 'list': {
      const { list } = type;
      // A list that is empty, or that becomes empty below, is null.
      if (list === undefined || !isList(value) || value.length === 0 || list.atomic) return null;
      const kept: JsonValue[] = [];
      for (const item of value) {
        const name = itemName(list, item);
        const element = 'element' in name ? name.element : '';
        if (items.members.has(element)) continue;
        const below = items.children.get(element);
        kept.push(below === undefined || below.empty ? item : removeItems(list.element(), item, below));
      }
      return kept.length === 0 ? null : kept;
    }
    case 'map': {
      const { map } = type;
      if (map === undefined || !isMap(value) || isEmptyMap(value) || map.atomic) return null;
      const kept: { [key: string]: JsonValue } = {};
      let any = false;
      for (const name in value) {
        const item = value[name];
        const element = fieldElement(name);
        if (item === undefined || items.members.has(element)) continue;
        const below = items.children.get(element);
        kept[name] =
          below === undefined || below.empty ? item : removeItems(fieldType(map, name) ?? DEDUCED, item, below);
        any = true;
      }
      return any ? kept : null;
    }
  }
}
