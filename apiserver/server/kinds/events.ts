/**
 * Events in two groups: stored as core/v1; events.k8s.io/v1 is converted on writes and reads.
 *
 * Owns: renaming the fields between the two (k8s.io/kubernetes `pkg/apis/events/v1/conversion.go`).
 */
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { BuiltInSchema } from './builtin-schema.ts';

/** Field names in events.k8s.io/v1 by name in core/v1. */
const RENAMED: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

const TO_NEW: ReadonlyMap<string, string> = new Map(RENAMED);
const TO_CORE: ReadonlyMap<string, string> = new Map(RENAMED.map(([core, fresh]) => [fresh, core]));

function renamed(object: KubeObject, apiVersion: string, names: ReadonlyMap<string, string>): KubeObject {
  const copy: { [key: string]: JsonObject[string] } = {};
  for (const key in object) copy[names.get(key) ?? key] = object[key];
  copy['apiVersion'] = apiVersion;
  return copy as KubeObject;
}

const shown = new WeakMap<KubeObject, KubeObject>();

/** Converts a stored event to events.k8s.io/v1; cached per object. */
export function eventFromStorage(object: KubeObject): KubeObject {
  let event = shown.get(object);
  if (event === undefined) {
    const made = renamed(object, 'events.k8s.io/v1', TO_NEW);
    const { reportingController, reportingInstance, ...others } = made;
    // core/v1 always has these two fields, events.k8s.io/v1 only when they are not empty.
    event = {
      ...others,
      ...(isText(reportingController) ? { reportingController } : {}),
      ...(isText(reportingInstance) ? { reportingInstance } : {}),
      apiVersion: made.apiVersion,
      kind: made.kind,
      metadata: made.metadata,
    };
    shown.set(object, event);
  }
  return event;
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

const core = new BuiltInSchema('v1', 'Event');

export function eventToStorage(object: KubeObject): KubeObject {
  return core.complete(renamed(object, 'v1', TO_CORE));
}
