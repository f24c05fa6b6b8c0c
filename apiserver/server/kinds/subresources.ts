/** Subresources of individual kinds that write one part of their object. */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import { mapIn } from './defaults/rules.ts';
import { inItems } from './fill.ts';

/** Returns the object after a write to a subresource; `now` is RFC 3339 with whole seconds. */
export type Part = (object: KubeObject, old: KubeObject, now: string) => KubeObject;

/** An approval of a signing request sets conditions with server timestamps, and nothing else. */
const approval: Part = (object, old, now) => {
  const before = mapIn(old, 'status');
  const dated = inItems(mapIn(object, 'status'), 'conditions', (condition) => ({
    ...condition,
    lastUpdateTime: condition['lastUpdateTime'] ?? now,
    lastTransitionTime: condition['lastTransitionTime'] ?? transitionOf(condition, before) ?? now,
  }));
  const { conditions } = dated;
  const { conditions: _, ...rest } = before;
  return withSpec({ ...object, status: conditions === undefined ? rest : { ...rest, conditions } }, old['spec']);
};

function transitionOf(condition: JsonObject, before: JsonObject): JsonObject[string] {
  const { conditions } = before;
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as readonly JsonObject[]).find(
    (one) => isMap(one) && one['type'] === condition['type'] && one['status'] === condition['status'],
  )?.['lastTransitionTime'];
}

/** Ephemeral containers are added to a running pod; the rest of its spec is unchanged. */
const ephemeralContainers: Part = (object, old) => {
  const added = mapIn(object, 'spec')['ephemeralContainers'];
  const spec = mapIn(old, 'spec');
  return withSpec(
    { ...object, status: old['status'] },
    added === undefined ? spec : { ...spec, ephemeralContainers: added },
  );
};

function withSpec(object: KubeObject, spec: JsonObject[string]): KubeObject {
  return { ...object, ...(spec === undefined ? {} : { spec }) };
}

export const PARTS: { readonly [subresource: string]: Part } = { approval, ephemeralcontainers: ephemeralContainers };
